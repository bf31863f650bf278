/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The example that ./quickstart profiles: counts the words of a text with a pool
 * of worker threads, sorts them by frequency, then packs the text with a Huffman
 * code, unpacks it and compares.
 *
 *     wordindex [-t THREADS] [FILE]
 *
 * Without FILE it makes a text of its own, the same one each time.  It is an
 * ordinary program: nothing in it knows of the profiler.
 */
#include <ctype.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
    MADE_WORDS = 400000,
    VOCABULARY = 3000,
    WORD_MAX = 40,
    BLOCK_BYTES = 16384,
    SLOTS_AT_FIRST = 256,
    THREADS_MAX = 64,
    SHOWN_WORDS = 8,
};

void *must(void *memory)
{
    if (!memory)
    {
        perror("wordindex");
        exit(1);
    }
    return memory;
}

/* ---- The text -------------------------------------------------------------- */

struct text
{
    char *bytes;
    size_t length;
};

uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* Word `rank` of an invented language: frequent words are short. */
size_t make_word(char *out, unsigned rank)
{
    static const char consonants[] = "bdfgklmnprstvz", vowels[] = "aeiou";
    size_t length = 0;
    do
    {
        out[length++] = consonants[rank % 14];
        rank /= 14;
        out[length++] = vowels[rank % 5];
        rank /= 5;
    } while (rank > 0);
    return length;
}

/* Few words are common and most are rare, as in any real text. */
unsigned pick_rank(uint32_t *state)
{
    unsigned rank = VOCABULARY;
    for (int i = 0; i < 3; i++)
        rank = next_random(state) % rank + 1;
    return rank - 1;
}

struct text make_text(void)
{
    struct text text = {must(malloc((size_t)MADE_WORDS * WORD_MAX)), 0};
    uint32_t state = 2024;
    for (int i = 1; i <= MADE_WORDS; i++)
    {
        text.length += make_word(text.bytes + text.length, pick_rank(&state));
        text.bytes[text.length++] = i % 12 ? ' ' : '\n';
    }
    return text;
}

struct text read_text(const char *path)
{
    struct text text = {NULL, 0};
    size_t room = 0, got = 0;
    FILE *file = must(fopen(path, "rb"));
    do
    {
        text.length += got;
        if (text.length == room)
            text.bytes = must(realloc(text.bytes, room = room ? room * 2 : 65536));
        got = fread(text.bytes + text.length, 1, room - text.length, file);
    } while (got > 0);
    fclose(file);
    return text;
}

/* ---- Counting words ---------------------------------------------------------- */

struct word
{
    char *letters; /* NULL: free slot */
    unsigned count;
};

struct table
{
    struct word *slots;
    size_t slot_count; /* a power of two */
    size_t used;
};

uint32_t hash_word(const char *letters, size_t length)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)letters[i]) * 16777619u;
    return hash;
}

struct word *find_slot(struct table *table, const char *letters, size_t length)
{
    size_t i = hash_word(letters, length) & (table->slot_count - 1);
    while (table->slots[i].letters && (strncmp(table->slots[i].letters, letters, length) != 0 ||
                                       table->slots[i].letters[length] != '\0'))
        i = (i + 1) & (table->slot_count - 1);
    return &table->slots[i];
}

void grow_table(struct table *table)
{
    struct table bigger = {NULL, table->slot_count ? table->slot_count * 2 : SLOTS_AT_FIRST,
                           table->used};
    bigger.slots = must(calloc(bigger.slot_count, sizeof(struct word)));
    for (size_t i = 0; i < table->slot_count; i++)
    {
        const struct word *word = &table->slots[i];
        if (word->letters)
            *find_slot(&bigger, word->letters, strlen(word->letters)) = *word;
    }
    free(table->slots);
    *table = bigger;
}

void add_word(struct table *table, const char *letters, size_t length, unsigned count)
{
    if (table->used * 4 >= table->slot_count * 3)
        grow_table(table);
    struct word *word = find_slot(table, letters, length);
    if (!word->letters)
    {
        word->letters = must(strndup(letters, length));
        table->used++;
    }
    word->count += count;
}

void count_block(struct table *table, const char *bytes, size_t length)
{
    size_t start = 0;
    for (size_t i = 0; i <= length; i++)
    {
        if (i < length && isalpha((unsigned char)bytes[i]))
            continue;
        if (i > start)
            add_word(table, bytes + start, i - start, 1);
        start = i + 1;
    }
}

void free_table(struct table *table)
{
    for (size_t i = 0; i < table->slot_count; i++)
        free(table->slots[i].letters);
    free(table->slots);
}

/* ---- The pool ------------------------------------------------------------------ */

struct pool
{
    const struct text *text;
    size_t next; /* first byte that no worker has taken */
    struct table words;
    pthread_mutex_t lock;
};

/* Takes a block that ends between two words; its length, 0 when none is left. */
size_t take_block(struct pool *pool, size_t *start)
{
    pthread_mutex_lock(&pool->lock);
    size_t end = pool->next + BLOCK_BYTES;
    *start = pool->next;
    if (end > pool->text->length)
        end = pool->text->length;
    while (end < pool->text->length && isalpha((unsigned char)pool->text->bytes[end]))
        end++;
    pool->next = end;
    pthread_mutex_unlock(&pool->lock);
    return end - *start;
}

void merge_table(struct pool *pool, const struct table *table)
{
    pthread_mutex_lock(&pool->lock);
    for (size_t i = 0; i < table->slot_count; i++)
    {
        const struct word *word = &table->slots[i];
        if (word->letters)
            add_word(&pool->words, word->letters, strlen(word->letters), word->count);
    }
    pthread_mutex_unlock(&pool->lock);
}

void *work(void *argument)
{
    struct pool *pool = argument;
    struct table words = {0};
    size_t start, length;
    while ((length = take_block(pool, &start)) > 0)
        count_block(&words, pool->text->bytes + start, length);
    merge_table(pool, &words);
    free_table(&words);
    return NULL;
}

void count_words(struct pool *pool, int thread_count)
{
    pthread_t threads[THREADS_MAX];
    for (int i = 0; i < thread_count; i++)
        if (pthread_create(&threads[i], NULL, work, pool) != 0)
            must(NULL);
    for (int i = 0; i < thread_count; i++)
        pthread_join(threads[i], NULL);
}

/* ---- Sorting ------------------------------------------------------------------- */

/* Negative where `a` comes first: the frequent one, or else by the alphabet. */
int compare_words(const struct word *a, const struct word *b)
{
    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    return strcmp(a->letters, b->letters);
}

void swap_words(struct word *a, struct word *b)
{
    struct word kept = *a;
    *a = *b;
    *b = kept;
}

void sort_words(struct word *words, size_t count)
{
    if (count < 2)
        return;
    size_t border = 0;
    swap_words(&words[count / 2], &words[count - 1]);
    for (size_t i = 0; i + 1 < count; i++)
        if (compare_words(&words[i], &words[count - 1]) < 0)
            swap_words(&words[i], &words[border++]);
    swap_words(&words[border], &words[count - 1]);
    sort_words(words, border);
    sort_words(words + border + 1, count - border - 1);
}

void print_index(struct table *table)
{
    size_t count = 0;
    for (size_t i = 0; i < table->slot_count; i++)
        if (table->slots[i].letters)
            swap_words(&table->slots[i], &table->slots[count++]);
    sort_words(table->slots, count);
    printf("%zu different words; the most frequent:", count);
    for (size_t i = 0; i < count && i < SHOWN_WORDS; i++)
        printf(" %s (%u)", table->slots[i].letters, table->slots[i].count);
    printf("\n");
}

/* ---- The Huffman code -------------------------------------------------------------- */

struct node
{
    uint64_t weight;
    int child[2]; /* indices; -1: a leaf */
    int byte;
};

struct code
{
    struct node nodes[511];
    int root;
    char bits[256][256]; /* of each byte, as a string of 0 and 1 */
};

int take_lightest(struct code *code, int *open, int *open_count)
{
    int best = 0;
    for (int i = 1; i < *open_count; i++)
        if (code->nodes[open[i]].weight < code->nodes[open[best]].weight)
            best = i;
    int node = open[best];
    open[best] = open[--*open_count];
    return node;
}

void assign_bits(struct code *code, int node, char *path, int depth)
{
    const struct node *n = &code->nodes[node];
    if (n->child[0] < 0)
    {
        memcpy(code->bits[n->byte], path, (size_t)depth);
        return;
    }
    for (int bit = 0; bit < 2; bit++)
    {
        path[depth] = (char)('0' + bit);
        assign_bits(code, n->child[bit], path, depth + 1);
    }
}

struct code *make_code(const struct text *text)
{
    struct code *code = must(calloc(1, sizeof *code));
    int open[256], open_count = 0, used = 256;
    char path[256];
    for (size_t i = 0; i < text->length; i++)
        code->nodes[(unsigned char)text->bytes[i]].weight++;
    for (int byte = 0; byte < 256; byte++)
    {
        code->nodes[byte] = (struct node){code->nodes[byte].weight, {-1, -1}, byte};
        /* at least two leaves, so that every code has a bit */
        if (code->nodes[byte].weight > 0 || byte < 2)
            open[open_count++] = byte;
    }
    while (open_count > 1)
    {
        int a = take_lightest(code, open, &open_count);
        int b = take_lightest(code, open, &open_count);
        uint64_t weight = code->nodes[a].weight + code->nodes[b].weight;
        code->nodes[used] = (struct node){weight, {a, b}, 0};
        open[open_count++] = used++;
    }
    code->root = open[0];
    assign_bits(code, code->root, path, 0);
    return code;
}

void put_bits(unsigned char *out, size_t *at, const char *bits)
{
    for (; *bits; bits++, ++*at)
        if (*bits == '1')
            out[*at / 8] |= (unsigned char)(1 << *at % 8);
}

unsigned char *pack(const struct code *code, const struct text *text, size_t *bit_count)
{
    unsigned char *out = must(calloc(text->length + 1, 32));
    *bit_count = 0;
    for (size_t i = 0; i < text->length; i++)
        put_bits(out, bit_count, code->bits[(unsigned char)text->bytes[i]]);
    return out;
}

int unpack_byte(const struct code *code, const unsigned char *in, size_t *at)
{
    int node = code->root;
    for (; code->nodes[node].child[0] >= 0; ++*at)
        node = code->nodes[node].child[in[*at / 8] >> *at % 8 & 1];
    return code->nodes[node].byte;
}

void check_packing(const struct text *text)
{
    size_t bit_count, at = 0;
    struct code *code = make_code(text);
    unsigned char *packed = pack(code, text, &bit_count);
    for (size_t i = 0; i < text->length; i++)
        if (unpack_byte(code, packed, &at) != (unsigned char)text->bytes[i])
        {
            fprintf(stderr, "wordindex: byte %zu came back different\n", i);
            exit(1);
        }
    printf("packed %zu bytes into %zu, and unpacked them\n", text->length, bit_count / 8 + 1);
    free(packed);
    free(code);
}

int main(int argc, char **argv)
{
    int thread_count = 4, at = 1;
    if (argc > 2 && strcmp(argv[1], "-t") == 0)
    {
        thread_count = atoi(argv[2]);
        at = 3;
    }
    if (argc > at + 1 || thread_count < 1 || thread_count > THREADS_MAX)
    {
        fprintf(stderr, "usage: wordindex [-t THREADS] [FILE]\n");
        return 2;
    }
    struct text text = argc > at ? read_text(argv[at]) : make_text();
    struct pool pool = {.text = &text, .lock = PTHREAD_MUTEX_INITIALIZER};
    count_words(&pool, thread_count);
    print_index(&pool.words);
    check_packing(&text);
    free_table(&pool.words);
    free(text.bytes);
    return 0;
}
