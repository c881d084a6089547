// gnu++17: the longest stretch of the past that came before, found by a table of strings
#include <map>
#include <string>

static std::string past;
static std::map<std::string, std::string> followed;

int move(const Bot *bot)
{
    if (bot->turn == 0)
        past.clear();
    else
        past += char('0' + bot->opponents_previous_move);
    int answer = bot->turn % bot->moves;
    for (std::size_t length = 1; length <= 6 && length < past.size(); ++length) {
        std::string &after = followed[past.substr(past.size() - length - 1, length)];
        after += past.back();
        const auto at = followed.find(past.substr(past.size() - length));
        if (at != followed.end() && !at->second.empty())
            answer = (at->second.back() - '0' + 1) % bot->moves;
    }
    return answer;
}
