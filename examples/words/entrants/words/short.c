/* short: C bots aren't shown what was said, so it says each of its words once. */

static const char *words[] = {"act", "bag", "cap", "dig", "eve", "fan", "gap", "hut", "ink", "jar", "key",
                              "log", "map", "net", "oak", "pen", "quit", "rod", "sun", "tap"};

void say(const View *view, char answer[13])
{
    static int used[26];
    int letter = view->letter - A;
    if (letter < 20 && !used[letter]++)
        strcpy(answer, words[letter]);
}
