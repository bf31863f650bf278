/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Has the C library do all that it keeps memory for, and loses four blocks: stripped.py knows
 * them.
 */
#include <dlfcn.h>
#include <grp.h>
#include <libintl.h>
#include <locale.h>
#include <netdb.h>
#include <pthread.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <wchar.h>

static void *volatile lost;

static void nothing(void)
{
}

static void streams(void)
{
    printf("hello\n");
    fwprintf(stderr, L"wide\n");
}

static void locales(void)
{
    setlocale(LC_ALL, "C.UTF-8");
    bindtextdomain("keeps", "/nowhere");
    textdomain("keeps");
    (void)gettext("text");
    (void)strerror(12345);
    (void)strsignal(99);
}

static void times(void)
{
    time_t now = 0;
    setenv("TZ", "AAA5BBB4,M3.2.0,M11.1.0", 1);
    (void)localtime(&now);
    setenv("TZ", "CCC5DDD4,M3.2.0,M11.1.0", 1);
    (void)mktime(localtime(&now));
}

static void users(void)
{
    (void)getpwnam("root");
    (void)getgrgid(0);
    (void)getservbyname("http", "tcp");
    (void)gethostbyname("127.0.0.1");
}

static void *loads(void *unused)
{
    (void)dlsym(RTLD_DEFAULT, "no such symbol");
    (void)dlopen("no-such-library.so", RTLD_NOW);
    return unused;
}

static void handlers(void)
{
    for (int i = 0; i < 100; i++)
        atexit(nothing);
}

static void loses(void)
{
    char *text;
    size_t bytes;
    lost = malloc(777);
    lost = strdup("a real leak");
    if (asprintf(&text, "%d", 7) > 0)
        lost = text;
    FILE *memory = open_memstream(&text, &bytes);
    fputs("xyz", memory);
    fclose(memory);
    lost = text = NULL;
}

int main(void)
{
    pthread_t thread;
    streams();
    locales();
    times();
    users();
    loads(NULL);
    pthread_create(&thread, NULL, loads, NULL);
    pthread_join(thread, NULL);
    handlers();
    loses();
    return 0;
}
