/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See unwind-image.h.
 */
#include "fcmanager/estimate/unwind-image.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define PARTS_MAX 1024u
#define ROOT "/root" /* in a process's folder of /proc: its own root */
#define TABLES_MAX (64u << 20)

void fc_unwind_image_unref(gpointer data)
{
    FcUnwindImage *image = data;
    if (--image->references > 0)
        return;
    if (image->files)
        g_hash_table_remove(image->files, image->key);
    g_free(image->key);
    g_free(image->path);
    g_free(image->parts);
    g_free(image->tables);
    g_free(image);
}

const guint8 *fc_unwind_image_at(const FcUnwindImage *image, guint64 address, gsize bytes)
{
    const guint64 offset = address - image->address;
    if (address < image->address || offset > image->table_bytes ||
        bytes > image->table_bytes - offset)
        return NULL;
    return image->tables + offset;
}

gboolean fc_unwind_image_get(const FcUnwindImage *image, guint64 address, gpointer value,
                             gsize bytes)
{
    const guint8 *from = fc_unwind_image_at(image, address, bytes);
    if (from)
        memcpy(value, from, bytes);
    return from != NULL;
}

static gboolean read_file(int fd, guint64 offset, gpointer into, gsize bytes)
{
    gsize done = 0;
    while (done < bytes)
    {
        const ssize_t part = pread(fd, (guint8 *)into + done, bytes - done, (off_t)(offset + done));
        if (part <= 0)
            return FALSE;
        done += (gsize)part;
    }
    return TRUE;
}

static gboolean is_same_file(const struct stat *one, const struct stat *other)
{
    return one->st_dev == other->st_dev && one->st_ino == other->st_ino &&
           one->st_size == other->st_size && one->st_mtim.tv_sec == other->st_mtim.tv_sec &&
           one->st_mtim.tv_nsec == other->st_mtim.tv_nsec;
}

/* Opens a file to read, and sets *now to what it is; -1: it is none. */
static int open_file(const char *path, struct stat *now)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd >= 0 && fstat(fd, now) == 0 && S_ISREG(now->st_mode))
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

/* The same; -1 as well if it is another one than that of `identity`. */
static int open_again(const char *path, const struct stat *identity)
{
    struct stat now = {0};
    const int fd = open_file(path, &now);
    if (fd < 0 || is_same_file(&now, identity))
        return fd;
    close(fd);
    return -1;
}

static void read_parts(FcUnwindImage *image, int fd)
{
    Elf64_Ehdr header;
    if (!read_file(fd, 0, &header, sizeof header) || memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
        header.e_machine != EM_X86_64 || header.e_phentsize != sizeof *image->parts ||
        header.e_phnum > PARTS_MAX)
        return;
    image->parts = g_new0(Elf64_Phdr, header.e_phnum + 1u);
    if (!read_file(fd, header.e_phoff, image->parts, header.e_phnum * sizeof *image->parts))
        return;
    image->part_count = header.e_phnum;
}

static char *key_of(const struct stat *identity)
{
    return g_strdup_printf("%" G_GINT64_MODIFIER "x %" G_GINT64_MODIFIER "x %" G_GINT64_MODIFIER
                           "x %" G_GINT64_MODIFIER "x %lx",
                           (guint64)identity->st_dev, (guint64)identity->st_ino,
                           (guint64)identity->st_size, (guint64)identity->st_mtim.tv_sec,
                           identity->st_mtim.tv_nsec);
}

static void read_image(FcUnwindImage *image, int fd)
{
    read_parts(image, fd);
    for (guint i = 0; i < image->part_count; i++)
        if (image->parts[i].p_type == PT_GNU_EH_FRAME)
            image->header = image->parts[i].p_vaddr;
}

FcUnwindImage *fc_unwind_image_open(const char *path, GHashTable *files)
{
    struct stat identity = {0};
    const int fd = open_file(path, &identity);
    g_autofree char *key = fd >= 0 ? key_of(&identity) : NULL;
    FcUnwindImage *image = key && files ? g_hash_table_lookup(files, key) : NULL;
    if (!image)
    {
        image = g_new0(FcUnwindImage, 1);
        image->path = g_strdup(path);
        image->identity = identity;
        if (fd >= 0)
            read_image(image, fd);
        if (key && files)
        {
            image->key = g_steal_pointer(&key);
            image->files = files;
            g_hash_table_insert(files, image->key, image);
        }
    }
    if (fd >= 0)
        close(fd);
    image->references++;
    return image;
}

/* Returns the part that is loaded to `address`; NULL: none is. */
static const Elf64_Phdr *part_at(const FcUnwindImage *image, guint64 address)
{
    for (guint i = 0; i < image->part_count; i++)
    {
        const Elf64_Phdr *part = &image->parts[i];
        if (part->p_type == PT_LOAD && address >= part->p_vaddr &&
            address - part->p_vaddr < part->p_filesz)
            return part;
    }
    return NULL;
}

/* Copies what the part has from `address` on. */
static void read_tables(FcUnwindImage *image, int fd, const Elf64_Phdr *part, guint64 address)
{
    const guint64 offset = address - part->p_vaddr;
    const guint64 bytes = part->p_filesz - offset;
    if (bytes > TABLES_MAX || part->p_offset + offset > G_MAXINT64 - bytes)
        return;
    image->tables = g_try_malloc(bytes);
    if (image->tables && read_file(fd, part->p_offset + offset, image->tables, bytes))
    {
        image->address = address;
        image->table_bytes = bytes;
    }
}

/* Reads .eh_frame_hdr as linkers write it: version 1, a relative address of .eh_frame, a count of 4
 * bytes, and a table of pairs of 4 bytes, relative to its start.  .eh_frame is behind or before
 * it. */
static void find_tables(FcUnwindImage *image, int fd)
{
    static const guint8 usual[] = {1, 0x1b, 0x03, 0x3b};
    struct
    {
        guint8 start[sizeof usual];
        gint32 frames;
        guint32 count;
    } header;
    const Elf64_Phdr *part = part_at(image, image->header);
    if (!part ||
        !read_file(fd, part->p_offset + (image->header - part->p_vaddr), &header, sizeof header) ||
        memcmp(header.start, usual, sizeof usual) != 0)
        return;
    const guint64 frames = image->header + 4 + (guint64)(gint64)header.frames;
    read_tables(image, fd, part,
                part_at(image, frames) == part ? MIN(frames, image->header) : image->header);
    image->table = image->header + 12;
    if (fc_unwind_image_at(image, image->table, (gsize)header.count * 8))
        image->count = header.count;
}

const FcUnwindImage *fc_unwind_image_read(FcUnwindImage *image)
{
    if (image->is_read)
        return image;
    image->is_read = TRUE;
    int fd = open_again(image->path, &image->identity);
    const char *root = g_str_has_prefix(image->path, "/proc/") ? strstr(image->path, ROOT) : NULL;
    if (fd < 0 && root)
        fd = open_again(root + strlen(ROOT), &image->identity);
    if (fd < 0)
        return image;
    find_tables(image, fd);
    close(fd);
    return image;
}
