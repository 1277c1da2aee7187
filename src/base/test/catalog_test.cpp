#include "base/catalog.hpp"

#include <gtest/gtest.h>

namespace strata {
namespace {

struct FruitKind : KindInfo {
  static constexpr const char* kCategory = "fruit";
  int stones = 0;
};

FruitKind fruit(std::string name, int stones) {
  FruitKind kind;
  kind.name = std::move(name);
  kind.summary = "grows on trees";
  kind.stones = stones;
  return kind;
}

TEST(Catalog, FindsKindsByName) {
  Registry registry;
  registry.catalog<FruitKind>().add(fruit("plum", 1));
  registry.catalog<FruitKind>().add(fruit("apple", 0));
  EXPECT_EQ(registry.catalog<FruitKind>().find("plum")->stones, 1);
  EXPECT_EQ(registry.catalog<FruitKind>().find("pear"), nullptr);
  EXPECT_EQ(registry.catalog<FruitKind>().names(), (std::vector<std::string>{"apple", "plum"}));
  EXPECT_EQ(registry.all().at("fruit")->infos().size(), 2U);
}

TEST(Catalog, AnUnknownNameComesWithASuggestion) {
  Registry registry;
  registry.catalog<FruitKind>().add(fruit("plum", 1));
  const auto found = registry.catalog<FruitKind>().get("plumm", {"f.yaml", 2, 1, ""});
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(to_text(found.errors()), "f.yaml:2:1: unknown fruit 'plumm'\n  did you mean 'plum'?");
}

TEST(Catalog, KindsKnowWhoAddedThem) {
  Registry registry;
  registry.catalog<FruitKind>().add(fruit("plum", 1));
  registry.set_origin("orchard");
  registry.catalog<FruitKind>().add(fruit("pear", 0));
  EXPECT_EQ(registry.catalog<FruitKind>().find("plum")->origin, "strata");
  EXPECT_EQ(registry.catalog<FruitKind>().find("pear")->origin, "orchard");
}

TEST(CatalogDeath, TheSameNameTwiceIsOurMistake) {
  Registry registry;
  registry.catalog<FruitKind>().add(fruit("plum", 1));
  EXPECT_DEATH(registry.catalog<FruitKind>().add(fruit("plum", 1)), "in the catalog already");
}

}  // namespace
}  // namespace strata
