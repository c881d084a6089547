// gnu++11: regex: matches, groups, searches one after another, replacing
#include "texas.h"
#include <regex>
#include <string>

std::pair<ActionType, int> makeDecision(const State &state)
{
    std::string text;
    for (const Card &c : state.alice)
        text += std::string(1, "cdhs"[c.color]) + std::to_string(c.value) + " ";
    static const std::regex card("([cdhs])(\\d+)"), high("[hs]1[0-3]?\\b"), word("^(\\w+)\\s.*$");
    std::smatch found;
    int x = std::regex_search(text, found, high) ? int(found.position(0)) + 5 : 1;
    for (std::sregex_iterator at(text.begin(), text.end(), card), end; at != end; ++at)
        x = x * 31 + (*at)[1].str()[0] + std::stoi((*at)[2]);
    if (std::regex_match(text, found, word))
        x += int(found[1].length()) * 1000;
    x += int(std::regex_replace(text, card, "<$2>").size());
    return {ActionType::RAISE, x};
}
