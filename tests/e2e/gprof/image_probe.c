/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Shows what fcdump, with libelf, or fcgprof, with libbfd, knows of an image, for libbfd.py
 * to compare:
 *
 *   image_probe libelf|libbfd IMAGE    its layout, its code, and whose each address is
 */
#include "fcgprof/object.h"
#include "gmon/image.h"

#include <stdio.h>
#include <string.h>

static void print_image(const FcGImage *image)
{
    g_autoptr(GArray) ranges = fc_granges_new(image);

    printf("%d %u %lx\n", image->layout.is_big_endian, image->layout.addr_bytes,
           (gulong)image->text_start);
    for (guint i = 0; i < ranges->len; i++)
    {
        const FcGRange *range = &g_array_index(ranges, FcGRange, i);

        printf("%lx %lx %d %d %s\n", (gulong)range->addr, (gulong)range->end_addr, range->is_func,
               range->is_static, range->name);
    }
}

int main(int argc, char **argv)
{
    g_autoptr(FcGObject) object = NULL;
    g_autoptr(FcGImage) image = NULL;
    g_autoptr(GError) error = NULL;

    if (argc != 3)
        return 2;
    if (strcmp(argv[1], "libbfd") == 0)
        object = fc_gobject_open(argv[2], &error);
    else
        image = fc_gimage_read(argv[2], &error);
    if (error)
    {
        fprintf(stderr, "%s\n", error->message);
        return 1;
    }
    print_image(object ? fc_gobject_image(object) : image);
    return 0;
}
