/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: calls on lines that lines.py knows by number.
 */
static int leaf(int n)
{
    return n + 1;
}

static int twice(int n)
{
    int sum = leaf(n) + leaf(n + 1); /* line 12 */

    for (int i = 0; i < 3; i++)
        sum += leaf(i); /* line 15 */
    return sum;
}

int main(void)
{
    int sum = 0;

    for (int i = 0; i < 5; i++)
        sum += twice(i); /* line 24 */
    leaf(sum);           /* line 25 */
    return 0;
}
