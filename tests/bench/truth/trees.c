/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Mix: a search tree that is built, searched, summed and freed, and a sort with a comparison.
 */
#include "phases.h"

typedef struct Node
{
    struct Node *left, *right;
    uint32_t key;
} Node;

static Node *root;
static uint32_t state = 1;

NOINLINE static Node *insert(Node *node, uint32_t key)
{
    if (!node)
    {
        node = calloc(1, sizeof *node);
        node->key = key;
    }
    else if (key < node->key)
        node->left = insert(node->left, key);
    else
        node->right = insert(node->right, key);
    return node;
}

NOINLINE static int is_less(uint32_t a, uint32_t b)
{
    return a < b;
}

NOINLINE static const Node *find(const Node *node, uint32_t key)
{
    while (node && node->key != key)
        node = is_less(key, node->key) ? node->left : node->right;
    return node;
}

NOINLINE static uint64_t sum(const Node *node)
{
    return node ? sum(node->left) + node->key + sum(node->right) : 0;
}

NOINLINE static void release(Node *node)
{
    if (!node)
        return;
    release(node->left);
    release(node->right);
    free(node);
}

NOINLINE static int compare(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

PHASE(build)
{
    release(root);
    root = NULL;
    for (int i = 0; i < 4000; i++)
        root = insert(root, phase_random(&state) & 0xffff);
}

PHASE(search)
{
    for (int i = 0; i < 8000; i++)
        sink += find(root, phase_random(&state) & 0xffff) != NULL;
}

PHASE(sum)
{
    for (int i = 0; i < 20; i++)
        sink += sum(root);
}

PHASE(sort)
{
    static uint32_t keys[8000];
    for (int i = 0; i < 8000; i++)
        keys[i] = phase_random(&state);
    qsort(keys, 8000, sizeof *keys, compare);
    sink += keys[7];
}

PHASES_MAIN(PHASE_ROW(build), PHASE_ROW(search), PHASE_ROW(sum), PHASE_ROW(sort))
