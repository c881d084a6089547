/* short: C bots aren't shown what was said, so it says each of its words once. */

static const char *words[] = {"act", "bag", "cap", "dig", "eve", "fan", "gap", "hut", "ink", "jar", "key",
                              "log", "map", "net", "oak", "pen", "quit", "rod", "sun", "tap"};
static int used[20];

void say(const View *view, char answer[13])
{
    for (int i = 0; i < 20; i++)
        if (!used[i] && words[i][0] == 'a' + view->letter - A) {
            used[i] = 1;
            strcpy(answer, words[i]);
            return;
        }
}
