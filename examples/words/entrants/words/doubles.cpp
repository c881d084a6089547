// doubles: a word that ends as it begins leaves the other one the same letter.

void say(const View *view, char answer[13])
{
    static int count;
    int last = ++count % 10 + 2;
    memset(answer, 'o', last);
    answer[0] = answer[last] = char('a' + view->letter - A);
}
