/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads profiles, sums them and makes the model; see load.h.
 */
#include "model/load.h"

#include "model/callsites.h"
#include "model/copies.h"
#include "model/distinct.h"
#include "model/mpi.h"
#include "model/openmp.h"
#include "model/regions.h"
#include "model/restrict.h"
#include "model/select.h"
#include "model/v3.h"
#include "profile/descriptor.h"
#include "profile/path.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define GMON_START "gmon"
#define DEFAULT_NAME "functioncheck"

/* ---- Files ----------------------------------------------------------------- */

typedef struct
{
    FcModel *model;
    const FcLoad *load;
    GPtrArray *images;          /* NULL-terminated; strings borrowed */
    guint passed_over;          /* files without any wanted process or thread */
    gboolean *fitted_processes; /* by pattern of load->processes: it fits something */
    gboolean *fitted_threads;
    GPtrArray *problems; /* owned by the caller */
    GHashTable *taken;   /* files that were read: "DEVICE INODE" */
    guint repeated;      /* files that were named again */
    FcProfile *rank;     /* by_rank: the sum of the last rank's files so far; owned, may be NULL */
    char *rank_key;      /* the key of that rank */
    GHashTable *ranks;   /* keys of all ranks so far */
    char *first_repeated;
} Loader;

static void add_problem(Loader *loader, const char *path, const char *reason)
{
    g_ptr_array_add(loader->problems, g_strdup_printf("%s: %s", path, reason));
}

/* Restricts the profile to the wanted threads.  FALSE: its process is not wanted, or none of its
 * threads is. */
static gboolean restrict_to_wanted(Loader *loader, FcProfile *profile)
{
    const GPtrArray *processes = loader->load->processes;
    const GPtrArray *threads = loader->load->threads;
    const char *name = profile->executable ? fc_base_name(profile->executable) : NULL;
    if (processes && processes->len > 0 &&
        !fc_restrict_fits(processes, profile->pid, name, loader->fitted_processes))
        return FALSE;
    if (!threads || threads->len == 0)
        return TRUE;
    const FcRestricted restricted = fc_restrict_threads(profile, threads, loader->fitted_threads);
    loader->model->of_threads |= restricted > FC_RESTRICT_WHOLE;
    loader->model->lacks_arcs |= restricted == FC_RESTRICT_FUNCTIONS;
    return restricted != FC_RESTRICT_NONE;
}

GHashTable *fc_load_taken_new(void)
{
    return g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
}

/* Returns the identity of a file.  NULL: it can't be found, or it is a pipe or the like, which
 * holds something else each time.  The caller owns the result. */
static char *file_identity(const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode))
        return NULL;
    return g_strdup_printf("%" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT, (guint64)status.st_dev,
                           (guint64)status.st_ino);
}

/* Whether the file was read before.  It may be, as a pattern such as name.fc* fits a descriptor and
 * the files that it lists. */
static gboolean is_taken(Loader *loader, const char *path, const char *identity)
{
    if (!identity || !g_hash_table_contains(loader->taken, identity))
        return FALSE;
    if (loader->repeated++ == 0)
        loader->first_repeated = g_strdup(path);
    return TRUE;
}

static void note_repeated(const Loader *loader)
{
    if (loader->repeated == 0 || !loader->load->notes)
        return;
    g_autoptr(GString) note = g_string_new(loader->first_repeated);
    if (loader->repeated > 1)
        g_string_append_printf(note, " and %u more", loader->repeated - 1);
    g_string_append(note, ": named more than once, taken once");
    g_ptr_array_add(loader->load->notes, g_string_free(g_steal_pointer(&note), FALSE));
}

/* ---- Ranks ----------------------------------------------------------------------------
 *
 * The files of one rank, with those of processes that it forked, follow one another, in a
 * descriptor and in a folder. */

/* Returns the figures of the profile's functions, if `mpi` only of those of MPI.
 * `function_of`: the function of the sum, by function of the profile; NULL: the same.  The
 * caller owns the result. */
static GArray *keep_functions(const FcProfile *profile, const guint *function_of, gboolean mpi)
{
    GArray *functions = g_array_new(FALSE, FALSE, sizeof(FcInputFunction));
    for (guint i = 0; i < profile->functions->len; i++)
    {
        const FcProfileFunction *from = &g_array_index(profile->functions, FcProfileFunction, i);
        if (mpi && !fc_mpi_is_function(profile, from))
            continue;
        const FcInputFunction function = {.function = function_of ? function_of[i] : i,
                                          .estimated = from->local_error_ns > 0 ||
                                                       from->counted > from->timed,
                                          .local_ns = from->times.local_ns,
                                          .local_cost_ns = from->times.local_cost_ns,
                                          .local_wait_ns = from->times.local_wait_ns,
                                          .calls = from->calls};
        g_array_append_val(functions, function);
    }
    return functions;
}

static void sum_profile(Loader *loader, FcProfile *profile)
{
    FcModel *model = loader->model;
    g_autofree guint *function_of =
        model->profile ? fc_profile_merge_mapped(model->profile, profile) : NULL;
    FcInput *input = model->inputs->pdata[model->inputs->len - 1];
    if (loader->load->by_process)
        input->functions = keep_functions(profile, function_of, FALSE);
    if (profile->job.rank != FC_NONE && !loader->load->by_rank)
        input->mpi = keep_functions(profile, function_of, TRUE);
    if (!model->profile)
        model->profile = profile;
    else
        fc_profile_free(profile);
    if (loader->load->by_rank)
        fc_profile_fold_threads(model->profile);
}

/* Returns the rank, or the process ID if there are no ranks. */
static gint64 rank_of(const FcProfile *profile)
{
    return profile->job.rank != FC_NONE ? profile->job.rank : profile->pid;
}

static void finish_rank(Loader *loader)
{
    FcProfile *rank = g_steal_pointer(&loader->rank);
    if (!rank)
        return;
    fc_profile_begin_ranks(rank, rank_of(rank), rank_of(rank) == loader->load->rank);
    sum_profile(loader, rank);
}

static void begin_rank(Loader *loader, const char *path, char *key, FcProfile *profile)
{
    finish_rank(loader);
    g_free(loader->rank_key);
    loader->rank_key = key;
    loader->rank = profile;
    if (!g_hash_table_add(loader->ranks, g_strdup(key)) && loader->load->notes)
        g_ptr_array_add(loader->load->notes,
                        g_strdup_printf("%s: other files stand between those of its rank, which is "
                                        "counted more than once",
                                        path));
}

static void add_to_rank(Loader *loader, const char *path, FcProfile *profile)
{
    const FcProfileJob *job = &profile->job;
    g_autofree char *key =
        profile->ranks > 0 ? g_strdup_printf("sum %s", path)
        : job->rank != FC_NONE
            ? g_strdup_printf("rank %s %" G_GINT64_FORMAT, job->name ? job->name : "", job->rank)
            : g_strdup_printf("process %s %" G_GINT64_FORMAT,
                              profile->unique_id ? profile->unique_id : path, profile->pid);
    if (loader->rank && g_strcmp0(loader->rank_key, key) == 0)
    {
        fc_profile_merge(loader->rank, profile);
        fc_profile_free(profile);
    }
    else
        begin_rank(loader, path, g_steal_pointer(&key), profile);
}

/* Takes over `loaded` and `identity`, which is that of its file; NULL: it has none. */
static void add_profile(Loader *loader, const char *path, FcProfile *loaded, char *identity)
{
    g_autoptr(FcProfile) profile = loaded;
    FcModel *model = loader->model;
    if (identity)
        g_hash_table_add(loader->taken, identity);
    g_debug("%s: profile of process %" G_GINT64_FORMAT ": %u functions, %u arcs, %u contexts", path,
            profile->pid, profile->functions->len, profile->arcs->len, profile->contexts->len);
    if (!restrict_to_wanted(loader, profile))
    {
        loader->passed_over++;
        return;
    }
    if (!profile->extended)
        fc_v3_complete(profile, (const char *const *)loader->images->pdata);
    fc_model_add_input(model, path, profile);
    if (loader->load->by_rank)
        add_to_rank(loader, path, g_steal_pointer(&profile));
    else
        sum_profile(loader, g_steal_pointer(&profile));
}

static void load_profile(Loader *loader, const char *path)
{
    g_autofree char *identity = file_identity(path);
    if (is_taken(loader, path, identity))
        return;
    g_autoptr(GError) error = NULL;
    FcProfile *profile = fc_profile_read(path, loader->load->progress, &error);
    if (profile)
        add_profile(loader, path, profile, g_steal_pointer(&identity));
    else
        add_problem(loader, path, error->message);
}

/* Loads the profile of a running process, which is in no file. */
static void load_text(Loader *loader, const char *operand, const GString *text)
{
    g_autoptr(GError) error = NULL;
    FcProfile *profile = fc_profile_parse(text->str, text->len, &error);
    if (profile)
        add_profile(loader, operand, profile, NULL);
    else
        add_problem(loader, operand, error->message);
}

static void load_descriptor(Loader *loader, const char *path)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GPtrArray) files = fc_descriptor_files(path, &error);
    if (!files)
    {
        add_problem(loader, path, error->message);
        return;
    }
    g_debug("%s: descriptor of %u profiles", path, files->len);
    for (guint i = 0; i < files->len; i++)
    {
        /* A descriptor from elsewhere could name a pipe or a terminal, which would hang us. */
        const char *file = files->pdata[i];
        if (g_file_test(file, G_FILE_TEST_EXISTS) && !g_file_test(file, G_FILE_TEST_IS_REGULAR))
            add_problem(loader, file, "named by a descriptor, but is no regular file");
        else
            load_profile(loader, file);
    }
    if (files->len == 0)
        add_problem(loader, path, "names no profile");
}

/* Reads the first bytes of `path` into `start`.  `start` is "" for a pipe and the like, as they can
 * be read only once.  FALSE: the file can't be read; a problem is noted. */
static gboolean read_start(Loader *loader, const char *path, char *start, gsize bytes)
{
    struct stat status;
    memset(start, 0, bytes);
    if (stat(path, &status) != 0)
    {
        add_problem(loader, path, g_strerror(errno));
        return FALSE;
    }
    if (!S_ISREG(status.st_mode))
        return TRUE;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || pread(fd, start, bytes - 1, 0) < 0)
    {
        add_problem(loader, path, g_strerror(errno));
        if (fd >= 0)
            close(fd);
        return FALSE;
    }
    close(fd);
    return TRUE;
}

static int compare_names(gconstpointer a, gconstpointer b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Loads the files in a folder that begin like a profile, but not older ones that FC_KEEP kept.  It
 * does not look into folders in it. */
static void load_folder(Loader *loader, const char *path)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GDir) folder = g_dir_open(path, 0, &error);
    if (!folder)
    {
        add_problem(loader, path, error->message);
        return;
    }
    for (const char *name = g_dir_read_name(folder); name; name = g_dir_read_name(folder))
        if (*name != '.' && !strstr(name, ".old-"))
            g_ptr_array_add(names, g_build_filename(path, name, NULL));
    g_ptr_array_sort(names, compare_names);
    guint found = 0;
    for (guint i = 0; i < names->len; i++)
    {
        char start[sizeof FC_PROFILE_MAGIC];
        const char *file = names->pdata[i];
        if (!g_file_test(file, G_FILE_TEST_IS_REGULAR) ||
            !read_start(loader, file, start, sizeof start) || strcmp(start, FC_PROFILE_MAGIC) != 0)
            continue;
        found++;
        load_profile(loader, file);
    }
    if (found == 0)
        add_problem(loader, path, "no profile is in this folder");
}

static void load_operand(Loader *loader, const char *path)
{
    char start[sizeof FC_DESCRIPTOR_MAGIC];
    gpointer text;
    if (loader->load->texts && g_hash_table_lookup_extended(loader->load->texts, path, NULL, &text))
    {
        if (text)
            load_text(loader, path, text);
        return;
    }
    if (g_file_test(path, G_FILE_TEST_IS_DIR))
    {
        load_folder(loader, path);
        return;
    }
    if (!read_start(loader, path, start, sizeof start))
        return;
    if (g_str_has_prefix(start, FC_DESCRIPTOR_MAGIC))
        load_descriptor(loader, path);
    else if (g_str_has_prefix(start, GMON_START))
        add_problem(loader, path, "a gmon.out file; fcdump does not read these, fcgprof does");
    else
        load_profile(loader, path);
}

/* ---- Functions ------------------------------------------------------------- */

/* A program that is not position-independent may have its own stub for a library's function.  The
 * figures of the stub go to the function. */
static void resolve_imports(FcModel *model)
{
    for (guint i = 0; i < model->profile->functions->len; i++)
    {
        FcProfileFunction *function =
            &g_array_index(model->profile->functions, FcProfileFunction, i);
        fc_symbols_find_import(model->symbols, model->profile, &function->location);
    }
}

/* All code without counters that no symbol covers is one function of its module: "[libc.so.6]". */
static void name_by_module(const FcModel *model, FcFunction *function)
{
    const gint module = function->figures.location.module;
    if (module == FC_NONE)
        return;
    const char *path = g_array_index(model->profile->modules, FcProfileModule, module).path;
    g_autofree char *name = g_strdup_printf("[%s]", fc_base_name(path));
    function->symbol.name = g_intern_string(name);
    function->symbol.start = G_MAXUINT64;
}

/* `keys`: symbol key -> function number + 1, of the profiled functions. */
static void make_functions(FcModel *model, GHashTable *keys)
{
    g_autoptr(GHashTable) uncounted = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    const GArray *functions = model->profile->functions;
    const gboolean extended = model->profile->extended;
    model->functions = fc_model_functions_new(functions->len);
    model->function_of = g_new0(guint, functions->len + 1);
    for (guint i = 0; i < functions->len; i++)
    {
        const FcProfileFunction *figures = &g_array_index(functions, FcProfileFunction, i);
        FcFunction function = {.figures = *figures, .copies = 1, .shown = TRUE};
        fc_symbols_find_name(model->symbols, model->profile, &figures->location, FALSE,
                             &function.symbol);
        if (figures->uncounted && !function.symbol.raw_name)
            name_by_module(model, &function);
        function.name = function.symbol.name;
        g_autofree char *key =
            fc_model_symbol_key(model, &figures->location, function.symbol.start);
        GHashTable *known_keys = figures->uncounted ? uncounted : keys;
        guint known = GPOINTER_TO_UINT(g_hash_table_lookup(known_keys, key));
        if (known != 0)
        {
            fc_profile_add_figures(&g_array_index(model->functions, FcFunction, known - 1).figures,
                                   extended, figures, extended);
        }
        else
        {
            function.figures.histogram = fc_histogram_copy(&figures->histogram);
            function.figures.off = g_memdup2(figures->off, sizeof *figures->off);
            g_array_append_val(model->functions, function);
            known = model->functions->len;
            g_hash_table_insert(known_keys, g_steal_pointer(&key), GUINT_TO_POINTER(known));
        }
        model->function_of[i] = known - 1;
        model->local_ns += figures->times.local_ns;
    }
    model->base_ns = model->local_ns;
}

/* ---- Graph ----------------------------------------------------------------- */

static void make_graph(FcModel *model, GHashTable *keys)
{
    g_autofree FcCallSite *sites = fc_callsites_resolve(model, keys);
    g_autofree guint64 *totals = g_new0(guint64, model->functions->len + 1);
    for (guint i = 0; i < model->functions->len; i++)
        totals[i] = fc_model_function(model, i)->figures.times.total_ns;
    model->graph =
        fc_callgraph_new(totals, model->functions->len, sites, model->profile->arcs->len);
}

/* ---- All of it ------------------------------------------------------------- */

/* Whether `path` exists and `other` does not, or was written earlier. */
static gboolean is_newer(const char *path, const char *other)
{
    struct stat own;
    struct stat others;
    if (stat(path, &own) < 0)
        return FALSE;
    if (stat(other, &others) < 0)
        return TRUE;
    return own.st_mtim.tv_sec != others.st_mtim.tv_sec
               ? own.st_mtim.tv_sec > others.st_mtim.tv_sec
               : own.st_mtim.tv_nsec > others.st_mtim.tv_nsec;
}

const char *fc_load_default(void)
{
    return is_newer(DEFAULT_NAME ".fcd", DEFAULT_NAME ".fc") ? DEFAULT_NAME ".fcd"
                                                             : DEFAULT_NAME ".fc";
}

/* Returns fc_load_default().  If there are both files, a note says which one it is. */
static char *choose_default(const FcLoad *load)
{
    const char *chosen = fc_load_default();
    const char *other =
        strcmp(chosen, DEFAULT_NAME ".fc") == 0 ? DEFAULT_NAME ".fcd" : DEFAULT_NAME ".fc";
    struct stat found;
    if (load->notes && stat(other, &found) == 0)
        g_ptr_array_add(load->notes,
                        g_strdup_printf("%s is read: it is newer than %s", chosen, other));
    return (char *)chosen;
}

static gboolean add_missing(const Loader *loader, const GPtrArray *patterns, const gboolean *fitted,
                            const char *option, const char *what)
{
    gboolean found = FALSE;
    for (guint i = 0; patterns && i < patterns->len; i++)
    {
        if (fitted[i])
            continue;
        g_ptr_array_add(loader->load->missing, fc_select_missing(option, patterns->pdata[i], what));
        found = TRUE;
    }
    return found;
}

/* Whether a wanted process or thread is in none of the files.  Adds it to load->missing. */
static gboolean find_missing(const Loader *loader)
{
    const GPtrArray *processes = loader->load->processes;
    const gboolean some = processes && processes->len > 0;
    return add_missing(loader, processes, loader->fitted_processes, "--process", "process") ||
           add_missing(loader, loader->load->threads, loader->fitted_threads, "--thread",
                       some ? "thread that --process leaves" : "thread");
}

static gboolean *make_fitted(const GPtrArray *patterns)
{
    return g_new0(gboolean, patterns ? patterns->len + 1 : 1);
}

/* Adds up the profiles of the operands.  FALSE: there is none. */
static gboolean load_all(Loader *loader)
{
    const char *const *operands = loader->load->operands;
    g_autoptr(GPtrArray) profiles = g_ptr_array_new();
    for (guint i = 0; loader->load->images && loader->load->images[i]; i++)
        g_ptr_array_add(loader->images, (gpointer)loader->load->images[i]);
    for (guint i = 0; operands[i]; i++)
        g_ptr_array_add(fc_v3_is_elf(operands[i]) ? loader->images : profiles,
                        (gpointer)operands[i]);
    g_ptr_array_add(loader->images, NULL);
    if (profiles->len == 0)
        g_ptr_array_add(profiles, choose_default(loader->load));
    for (guint i = 0; i < profiles->len; i++)
    {
        const guint inputs = loader->model->inputs->len;
        const guint passed = loader->repeated + loader->problems->len;
        load_operand(loader, profiles->pdata[i]);
        if (loader->repeated + loader->problems->len == passed ||
            loader->model->inputs->len > inputs)
            g_ptr_array_add(loader->model->operands, g_strdup(profiles->pdata[i]));
    }
    finish_rank(loader);
    if (!find_missing(loader) && !loader->model->profile && loader->passed_over > 0)
        add_problem(loader, profiles->pdata[0],
                    "no process or thread is as --process or --thread say");
    return loader->model->profile != NULL;
}

static void choose_local(const FcLoad *load, guint64 *local_ns, guint64 cost_ns, guint64 wait_ns)
{
    *local_ns += load->raw ? cost_ns : 0;
    if (load->time == FC_TIME_PART_CPU)
        *local_ns -= MIN(wait_ns, *local_ns);
    else if (load->time == FC_TIME_PART_WAIT)
        *local_ns = MIN(wait_ns, *local_ns);
}

/* Applies the choice of times to the sum and to each file in it. */
static void choose_times(FcModel *model, const FcLoad *load)
{
    if (load->raw)
        fc_profile_put_costs_back(model->profile);
    fc_profile_choose_time(model->profile, load->time);
    model->time = load->time;
    for (guint i = 0; i < model->inputs->len; i++)
    {
        FcInput *input = model->inputs->pdata[i];
        choose_local(load, &input->local_ns, input->local_cost_ns, input->local_wait_ns);
        for (guint j = 0; input->functions && j < input->functions->len; j++)
        {
            FcInputFunction *function = &g_array_index(input->functions, FcInputFunction, j);
            choose_local(load, &function->local_ns, function->local_cost_ns,
                         function->local_wait_ns);
        }
    }
}

/* Returns a model with only the sum and the inputs; NULL: no profile was left.  The caller owns the
 * result. */
static FcModel *load_files(const FcLoad *load, GPtrArray *images, GPtrArray *problems)
{
    g_autoptr(FcModel) model = fc_model_new();
    g_autofree gboolean *fitted_processes = make_fitted(load->processes);
    g_autofree gboolean *fitted_threads = make_fitted(load->threads);
    g_autoptr(GHashTable) taken = load->taken ? g_hash_table_ref(load->taken) : fc_load_taken_new();
    g_autoptr(GHashTable) ranks = fc_load_taken_new();
    Loader loader = {.model = model,
                     .load = load,
                     .images = images,
                     .fitted_processes = fitted_processes,
                     .fitted_threads = fitted_threads,
                     .problems = problems,
                     .taken = taken,
                     .ranks = ranks};
    const gboolean is_loaded = load_all(&loader);
    note_repeated(&loader);
    g_free(loader.first_repeated);
    g_free(loader.rank_key);
    return is_loaded ? g_steal_pointer(&model) : NULL;
}

/* ---- Hooks that a link left out ---------------------------------------------- */

static gboolean *mark_modules(const FcProfile *profile)
{
    gboolean *has_functions = g_new0(gboolean, profile->modules->len + 1);
    for (guint i = 0; i < profile->functions->len; i++)
    {
        const gint module = g_array_index(profile->functions, FcProfileFunction, i).location.module;
        if (module != FC_NONE)
            has_functions[module] = TRUE;
    }
    if (profile->functions->len == 0) /* then check the program itself */
        has_functions[0] = TRUE;
    return has_functions;
}

static void note_lost_hooks(const FcModel *model, GPtrArray *notes)
{
    const FcProfile *profile = model->profile;
    g_autofree gboolean *is_looked_at = mark_modules(profile);
    g_autoptr(GHashTable) known = g_hash_table_new(g_str_hash, g_str_equal);
    for (guint i = 0; i < profile->modules->len; i++)
    {
        const char *path = g_array_index(profile->modules, FcProfileModule, i).path;
        if (is_looked_at[i] && fc_symbols_lost_hooks(model->symbols, profile, i) &&
            g_hash_table_add(known, (gpointer)path))
            g_ptr_array_add(
                notes, g_strdup_printf("%s: functions are missing, as link-time optimization left "
                                       "their hooks out: link with the flags of fc-config --cflags "
                                       "--after-inlining, too",
                                       path));
    }
}

FcProfile *fc_load_sum(const FcLoad *load, GPtrArray *problems)
{
    g_autoptr(GPtrArray) images = g_ptr_array_new();
    g_autoptr(FcModel) model = load_files(load, images, problems);
    return model ? g_steal_pointer(&model->profile) : NULL;
}

FcModel *fc_model_load(const FcLoad *load, GPtrArray *problems)
{
    g_autoptr(GPtrArray) images = g_ptr_array_new();
    g_autoptr(FcModel) model = load_files(load, images, problems);
    if (!model)
        return NULL;
    choose_times(model, load);

    g_autoptr(GHashTable) keys = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    model->symbols = fc_symbols_new(load->demangle, (const char *const *)images->pdata);
    fc_symbols_check_images(model->symbols, model->profile);
    if (load->notes)
        note_lost_hooks(model, load->notes);
    resolve_imports(model);
    fc_openmp_place(model);
    make_functions(model, keys);
    g_autofree guint *first_copy = fc_copies_find(model);
    if (load->split)
        model->first_copy = g_steal_pointer(&first_copy);
    else
        fc_copies_merge(model, first_copy);
    fc_distinct_names(model);
    fc_regions_name(model);
    fc_labels_make(model, load->demangle == FC_DEMANGLE_PLAIN ? load->labels : FC_LABELS_WHOLE);
    make_graph(model, keys);
    return g_steal_pointer(&model);
}
