// Calls its author.
// Verdict: broken: error or uses or sockets
#include <sys/socket.h>
int a(const Bot *bot) { return socket(AF_INET, SOCK_STREAM, 0); }
int b(const Bot *bot, const int bet) { return bot->card > 0.5f; }
