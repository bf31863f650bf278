/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A library whose constructor loses blocks by new before libfc starts, and the program
 * (-DPROGRAM): suppressed.py knows them.
 */
#ifdef PROGRAM
extern "C" void touch();
int main()
{
    touch();
    return 0;
}
#else
#include <new>

static struct Registry
{
    Registry()
    {
        int *volatile lost = new int[1250];
        lost = new int;
        lost = static_cast<int *>(operator new(64, std::align_val_t(64)));
        lost = new (std::nothrow) int[3];
        lost = nullptr;
    }
} registry;

extern "C" void touch()
{
}
#endif
