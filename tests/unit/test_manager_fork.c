/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a forked child takes over from its parent, and how its own counts begin.
 */
#include "fcmanager/session/process-messages.h"
#include "tests/unit/program_fixture.h"

/* At 100 the program's thread 1 forks, in a call of A that began at 10: the child, whose thread
 * is 3. */
static FcProcess *fork_within_a(FcProgram *program)
{
    struct FcChunk *chunk = fc_program_claim(program, 1, 1, 0);
    chunk->records[0] = fc_fixture_record(FC_RECORD_ENTER, 10, 'A', 0x99, 0);
    fc_program_give(program, 1, 1, 1);
    g_autoptr(GArray) frames = fc_process_fork(program->process, 1);
    g_assert_cmpuint(frames->len, ==, 1);
    struct FcHello hello = {.version = FC_WIRE_VERSION, .pid = 78, .thread = 3, .start_time = 100};
    FcProcess *child = fc_process_new(&program->setup, PROGRAM_KEY + 1, &hello, program->process);
    fc_process_adopt(child, NULL, frames);
    return child;
}

static void test_fork(void)
{
    FcProgram program;
    fc_program_start(&program);
    FcProcess *child = fork_within_a(&program);
    fc_process_finish(child, 160, 3, FALSE);
    const FcCountsFunction *a = fc_fixture_function(child->counts, 'A');
    g_assert_cmpuint(a->calls, ==, 0);
    g_assert_cmpuint(a->total, ==, 60);
    fc_process_free(child);
    fc_program_stop(&program);
}

/* A handler forks that interrupted a hook, whose record is not there yet.  The child has what is
 * open in the handler, behind a call and a jump; of the parent nothing is lost. */
static void test_fork_at_gap(void)
{
    FcProgram program;
    fc_program_start(&program);
    struct FcChunk *chunk = fc_program_claim(&program, 1, 1, 0);
    chunk->records[0] = fc_fixture_record(FC_RECORD_ENTER, 10, 'A', 0x99, 0);
    chunk->records[2] = fc_fixture_record(FC_RECORD_ENTER, 12, 'C', 0x99, 2);
    chunk->records[3] = fc_fixture_record(FC_RECORD_ENTER, 13, 'D', 0x99, 3);
    chunk->records[4] = fc_fixture_record(FC_RECORD_EXIT, 14, 'D', 0x99, 3);
    chunk->records[5] = fc_fixture_record(FC_RECORD_ENTER, 17, 'D', 0x99, 3);
    chunk->records[6] = fc_fixture_record(FC_RECORD_JUMP, 18, 0, 0, 2);
    chunk->records[7] = fc_fixture_record(FC_RECORD_ENTER, 19, 'E', 0x99, 3);
    fc_program_give(&program, 1, 1, 8);
    g_autoptr(GArray) frames = fc_process_fork(program.process, 1);
    g_assert_cmpuint(frames->len, ==, 3);
    for (guint i = 0; i < 3; i++)
        g_assert_cmpuint(g_array_index(frames, FcOpenFrame, i).function, ==,
                         fc_fixture_address("ACE"[i]));
    g_assert_cmpuint(chunk->owner, ==, PROGRAM_KEY); /* it will be written to */
    chunk->records[1] = fc_fixture_record(FC_RECORD_ENTER, 11, 'B', 0x99, 1);
    fc_process_retry(program.process);
    g_assert_cmpuint(chunk->owner, ==, 0);
    fc_process_finish(program.process, 30, 1, FALSE);
    g_assert_cmpuint(fc_fixture_context(program.process->counts, "AB")->calls, ==, 1);
    g_assert_cmpuint(fc_fixture_context(program.process->counts, "ABC")->calls, ==, 1);
    g_assert_cmpuint(fc_fixture_context(program.process->counts, "ABCE")->calls, ==, 1);
    g_assert_cmpuint(fc_program_calls(&program, 'D'), ==, 2);
    g_assert_cmpuint(fc_program_note_count(program.process->repairs, "gaps"), ==, 0);
    fc_program_stop(&program);
}

static void send_off(FcProcess *process, guint64 time, guint64 value, guint64 waits, guint64 kind)
{
    const struct FcRecord record = {.time = time,
                                    .function = value,
                                    .where = kind | FC_OFF_SEEN << FC_OFF_RECORD_SHIFT,
                                    .site = waits | G_GUINT64_CONSTANT(5)
                                                        << FC_SITE_GENERATION_SHIFT};
    const FcWireMessage message = {.type = FC_MSG_OFF,
                                   .process = PROGRAM_KEY + 1,
                                   .thread = 3,
                                   .payload = (const guint8 *)(gconstpointer)&record,
                                   .payload_bytes = sizeof record};
    fc_process_message(process, &message);
}

/* The child makes no record. */
static void test_fork_that_waits(void)
{
    FcProgram program;
    fc_program_start(&program);
    FcProcess *child = fork_within_a(&program);
    send_off(child, 100, 7000, 1, FC_RECORD_OFF);
    send_off(child, 150, 7040, 2, FC_RECORD_ENTER);
    send_off(child, 160, 7045, 2, FC_RECORD_OFF);
    fc_process_finish(child, 160, 3, FALSE);
    const FcCountsFunction *a = fc_fixture_function(child->counts, 'A');
    g_assert_cmpuint(a->total, ==, 60);
    g_assert_cmpuint(a->wait_total, ==, 45);
    const FcThreadResult *row = &g_array_index(child->results, FcThreadResult, 0);
    g_assert_cmpint(row->off.seen, ==, FC_WAITS_SEEN);
    g_assert_cmpuint(row->off.preempted, ==, 0);
    g_assert_cmpuint(fc_program_note_count(child->losses, "malformed-messages"), ==, 1);
    fc_process_free(child);
    fc_program_stop(&program);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/fork/frames", test_fork);
    g_test_add_func("/fork/at-gap", test_fork_at_gap);
    g_test_add_func("/fork/that-waits", test_fork_that_waits);
    return g_test_run();
}
