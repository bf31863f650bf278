extern int more(int x);
int more(int x)
{
    return x + 1;
}
