/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One ELF file: is it whole, and whose is it (build-id).  Called by symbols.c.  The file
 * is untrusted: a damaged one must give an error or fewer names, never a crash.
 */
#include "symbols/image.h"

#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BUILD_ID_MAX 64 /* bytes of it that libfc keeps */

/* ---- opening ---------------------------------------------------------------- */

/* TRUE if [offset, offset + bytes) lies in a file of `size` bytes. */
static gboolean lies_within(guint64 offset, guint64 bytes, guint64 size)
{
    return offset <= size && bytes <= size - offset;
}

/* Whether each section lies within the file, which libelf does not check. */
static gboolean has_whole_sections(Elf *elf, guint64 size)
{
    Elf_Scn *section = NULL;
    size_t count, index;
    GElf_Ehdr header;

    if (!gelf_getehdr(elf, &header) || elf_getshdrnum(elf, &count) != 0)
        return FALSE;
    if (header.e_shoff != 0 && (count == 0 || elf_getshdrstrndx(elf, &index) != 0))
        return FALSE;
    while ((section = elf_nextscn(elf, section)))
    {
        GElf_Shdr head;

        if (!gelf_getshdr(section, &head))
            return FALSE;
        if (head.sh_type != SHT_NOBITS && head.sh_type != SHT_NULL &&
            !lies_within(head.sh_offset, head.sh_size, size))
            return FALSE;
    }
    return TRUE;
}

/* Segments count only where there are no sections: those of a separate debug file
 * describe the program it belongs to. */
static gboolean has_whole_segments(Elf *elf, guint64 size)
{
    size_t count, sections;

    if (elf_getphdrnum(elf, &count) != 0 || elf_getshdrnum(elf, &sections) != 0)
        return FALSE;
    for (size_t i = 0; i < count; i++)
    {
        GElf_Phdr head;

        if (!gelf_getphdr(elf, (int)i, &head))
            return FALSE;
        if (sections == 0 && head.p_type == PT_LOAD &&
            !lies_within(head.p_offset, head.p_filesz, size))
            return FALSE;
    }
    return TRUE;
}

static gboolean check_elf(Elf *elf, guint64 size, GError **error)
{
    GElf_Ehdr header;

    if (!elf || elf_kind(elf) != ELF_K_ELF)
    {
        g_set_error_literal(error, G_FILE_ERROR, G_FILE_ERROR_INVAL, "not an ELF file");
        return FALSE;
    }
    if (!gelf_getehdr(elf, &header) || !has_whole_sections(elf, size) ||
        !has_whole_segments(elf, size))
    {
        g_set_error_literal(error, G_FILE_ERROR, G_FILE_ERROR_INVAL,
                            "truncated or damaged ELF file");
        return FALSE;
    }
    if (header.e_type != ET_EXEC && header.e_type != ET_DYN)
    {
        g_set_error_literal(error, G_FILE_ERROR, G_FILE_ERROR_INVAL,
                            "neither a program nor a shared library");
        return FALSE;
    }
    return TRUE;
}

/* The length of the build-id at *bits, 0 where these notes have none: as libfc's modules.c reads
 * them in memory. */
static gsize find_build_id(const Elf_Data *notes, const guchar **bits)
{
    static const char owner[4] = "GNU";
    const gsize size = notes->d_size;
    const guchar *start = notes->d_buf;
    for (gsize at = 0; at < size && size - at >= sizeof(Elf32_Nhdr);)
    {
        Elf32_Nhdr note; /* of either class, in the order of bytes of the machine it ran on */
        memcpy(&note, start + at, sizeof note);
        const guint64 name = at + sizeof note;
        const guint64 data = name + (((guint64)note.n_namesz + 3) & ~(guint64)3);
        if (data > size || note.n_descsz > size - data)
            return 0;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof owner &&
            memcmp(start + name, owner, sizeof owner) == 0)
        {
            *bits = start + data;
            return note.n_descsz;
        }
        at = data + (((guint64)note.n_descsz + 3) & ~(guint64)3);
    }
    return 0;
}

/* What libelf finds no build-id in: it takes a last note without its padding, where the build-id's
 * length is no multiple of 4, for damaged. */
static gsize search_build_id(Elf *elf, const guchar **bits)
{
    gsize bytes = 0;
    gsize count = 0;
    if (elf_getphdrnum(elf, &count) != 0)
        return 0;
    for (gsize i = 0; i < count && bytes == 0; i++)
    {
        GElf_Phdr segment;
        if (!gelf_getphdr(elf, (int)i, &segment) || segment.p_type != PT_NOTE)
            continue;
        const Elf_Data *notes =
            elf_getdata_rawchunk(elf, (gint64)segment.p_offset, segment.p_filesz, ELF_T_BYTE);
        bytes = notes && notes->d_buf ? find_build_id(notes, bits) : 0;
    }
    return bytes;
}

static char *read_build_id(Elf *elf)
{
    const void *found;
    const guchar *bits = NULL;
    const gssize known = dwelf_elf_gnu_build_id(elf, &found);
    if (known > 0)
        bits = found;
    const gsize bytes = known > 0 ? (gsize)known : search_build_id(elf, &bits);
    if (bytes == 0)
        return NULL;
    GString *text = g_string_sized_new(bytes * 2);
    for (gsize i = 0; i < MIN(bytes, BUILD_ID_MAX); i++)
        g_string_append_printf(text, "%02x", bits[i]);
    return g_string_free(text, FALSE);
}

static int open_regular(const char *path, struct stat *status, GError **error)
{
    /* Without O_NONBLOCK a FIFO of that name would hang us. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    int code = errno;

    if (fd >= 0 && fstat(fd, status) == 0 && S_ISREG(status->st_mode))
        return fd;
    if (fd < 0)
        g_set_error_literal(error, G_FILE_ERROR, (gint)g_file_error_from_errno(code),
                            g_strerror(code));
    else
    {
        g_set_error_literal(error, G_FILE_ERROR, G_FILE_ERROR_INVAL,
                            S_ISDIR(status->st_mode) ? "is a directory" : "not a regular file");
        close(fd);
    }
    return -1;
}

gboolean fc_image_is_passing(const char *path)
{
    const struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_NO_MAGICLINKS};
    const long fd = syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how);

    if (fd >= 0)
        close((int)fd);
    if (fd >= 0 || (errno != ENOSYS && errno != EPERM))
        return fd < 0 && errno == ELOOP;
    return g_str_has_prefix(path, "/proc/") || g_str_has_prefix(path, "/dev/fd/");
}

FcImage *fc_image_open(const char *path, const char *debug_folders, GError **error)
{
    struct stat status;
    int fd = open_regular(path, &status, error);

    if (fd < 0)
        return NULL;
    FcImage *image = g_new0(FcImage, 1);
    image->fd = fd;
    image->written_ns =
        (gint64)status.st_mtim.tv_sec * G_GINT64_CONSTANT(1000000000) + status.st_mtim.tv_nsec;
    image->path = g_strdup(path);
    image->debug_folders = g_strdup(debug_folders);
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(image->fd, ELF_C_READ_MMAP, NULL);
    gboolean is_good = check_elf(elf, (guint64)status.st_size, error);
    if (is_good)
        image->build_id = read_build_id(elf);
    elf_end(elf);
    if (is_good)
        return image;
    fc_image_free(image);
    return NULL;
}

void fc_image_free(FcImage *image)
{
    if (!image)
        return;
    fc_line_table_free(image->lines);
    if (image->functions)
        g_array_unref(image->functions);
    if (image->dwfl)
        dwfl_end(image->dwfl);
    if (image->fd >= 0)
        close(image->fd);
    if (image->exports)
        g_hash_table_unref(image->exports);
    if (image->bodies)
        g_hash_table_unref(image->bodies);
    g_free(image->debug_folders);
    g_free(image->build_id);
    g_free(image->path);
    g_free(image);
}

/* ---- libdw ------------------------------------------------------------------ */

static int find_debuginfo(Dwfl_Module *module, void **user_data, const char *name, Dwarf_Addr base,
                          const char *file, const char *link_file, GElf_Word link_crc, char **found)
{
    /* The standard search for debug files ends by asking the servers that this variable names. */
    g_unsetenv("DEBUGINFOD_URLS");
    return dwfl_standard_find_debuginfo(module, user_data, name, base, file, link_file, link_crc,
                                        found);
}

gboolean fc_image_load(FcImage *image)
{
    if (image->is_loaded)
        return image->module != NULL;
    image->is_loaded = TRUE;
    image->callbacks.find_elf = dwfl_build_id_find_elf;
    image->callbacks.find_debuginfo = find_debuginfo;
    image->callbacks.section_address = dwfl_offline_section_address;
    image->callbacks.debuginfo_path = &image->debug_folders;
    image->dwfl = dwfl_begin(&image->callbacks);
    if (!image->dwfl)
        return FALSE;
    dwfl_report_begin(image->dwfl);
    /* Reported with bias 0, so that libdw's addresses are those of the file (link-time). */
    image->module = dwfl_report_elf(image->dwfl, image->path, image->path, image->fd, 0, TRUE);
    if (image->module)
        image->fd = -1;
    dwfl_report_end(image->dwfl, NULL, NULL);
    return image->module != NULL;
}
