/* gnu17: functions within functions, which gcc has and clang has not */
int a(const Bot *bot)
{
    int add(int x) { return x + (int)bot->money; }
    return add(5);
}

int b(const Bot *bot, const int aBet) { return aBet > bot->money; }
