/* gnu17: malloc, calloc, realloc and free: lists, trees, blocks that grow, thousands of them in any order */
struct node { struct node *left, *right; unsigned key; int count; };
static struct node *root;
static int nodes;

static void insert(unsigned key)
{
    struct node **place = &root;
    while (*place && (*place)->key != key)
        place = key < (*place)->key ? &(*place)->left : &(*place)->right;
    if (!*place) {
        *place = calloc(1, sizeof **place);
        (*place)->key = key;
        nodes++;
    }
    (*place)->count++;
}

static unsigned walk(const struct node *n, unsigned h) { return n ? walk(n->right, walk(n->left, h) * 31 + n->key + (unsigned)n->count) : h; }

Money a(const Bot *bot)
{
    unsigned x = (unsigned)(bot->card * 16777216), h = 0;
    char *blocks[200] = {0};
    for (int i = 0; i < 2000; i++) {
        int which = (int)((x = x * 1664525 + 1013904223) >> 24) % 200;
        size_t size = x % 3000 + 1;
        blocks[which] = realloc(blocks[which], size);
        blocks[which][size - 1] = (char)i;
        blocks[which][0] = (char)x;
        if (i % 3 == 0) {
            h = h * 31 + (unsigned char)blocks[which][0];
            free(blocks[which]);
            blocks[which] = NULL;
        }
    }
    for (int i = 0; i < 200; i++)
        free(blocks[i]);
    int *grown = NULL;
    for (int n = 1; n < 5000; n++) {
        grown = realloc(grown, (size_t)n * sizeof *grown);
        grown[n - 1] = n;
    }
    for (int i = 0; i < 5000 - 1; i++)
        h += (unsigned)grown[i];
    free(grown);
    insert(x >> 20);
    return walk(root, h) + (unsigned)nodes;
}

int b(const Bot *bot, const int aBet)
{
    char *copy = strdup("a copy of some text");
    int answer = copy[aBet % 19] < 'k';
    free(copy);
    insert((unsigned)bot->money);
    return answer;
}
