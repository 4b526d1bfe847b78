// SPDX-License-Identifier: MIT
#include "dsl/diagnostics/diagnostic_codes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/check.h"

namespace exh::dsl {
namespace {

constexpr Severity kE = Severity::kError, kW = Severity::kWarning;

constexpr auto kTable = std::to_array<DiagInfo>({
    {Diag::kInvalidToken, kE, "invalid token"},
    {Diag::kOpenCode, kE, "unterminated code"},
    {Diag::kOpenComment, kE, "unterminated comment"},
    {Diag::kUnreadableFile, kE, "a file cannot be read"},
    {Diag::kIncludeCycle, kE, "a file includes itself"},
    {Diag::kTooManyIncludes, kE, "too many files are included"},
    {Diag::kParserFailed, kE, "the parser failed"},
    {Diag::kNumberTooLarge, kE, "a number is too large"},
    {Diag::kNotText, kE, "bytes that are no text"},
    {Diag::kFusedCode, kW, "two snippets are read as one"},
    {Diag::kUnexpectedToken, kE, "unexpected token"},
    {Diag::kUnfinishedStatement, kE, "a statement ends too early"},
    {Diag::kMisplacedDoc, kE, "misplaced doc comment"},
    {Diag::kNoStatement, kE, "not a statement"},
    {Diag::kNestedTooDeeply, kE, "a formula nested too deeply"},
    {Diag::kTermAlone, kE, "a term that is compared with nothing"},
    {Diag::kConditionInTerm, kE, "a condition within a term"},
    {Diag::kUnknownSet, kE, "unknown set"},
    {Diag::kUnknownChoice, kE, "unknown choice"},
    {Diag::kUnknownVariable, kE, "unknown variable"},
    {Diag::kUnknownValue, kE, "unknown value"},
    {Diag::kUnknownSnippetVariable, kE, "unknown variable in a snippet"},
    {Diag::kUnknownSetKey, kE, "unknown key of a set"},
    {Diag::kUnknownConstant, kE, "unknown constant"},
    {Diag::kRepeatedSet, kE, "a set is declared twice"},
    {Diag::kRepeatedChoice, kE, "a choice is declared twice"},
    {Diag::kRepeatedVariable, kE, "a variable is declared twice"},
    {Diag::kRepeatedValue, kE, "a value is declared twice"},
    {Diag::kRepeatedSetKey, kE, "a key is given twice"},
    {Diag::kRepeatedLabel, kE, "a label is used twice"},
    {Diag::kReservedVariable, kE, "a variable with a reserved name"},
    {Diag::kTypeNameClash, kE, "two enums would be one C++ type"},
    {Diag::kUnusedSet, kW, "a set is not used"},
    {Diag::kUnusedChoice, kW, "a choice is not constrained"},
    {Diag::kUnusedAlias, kW, "an alias is not used"},
    {Diag::kUnusedVariable, kW, "a variable is not used"},
    {Diag::kUnusedLet, kW, "a 'let' is not used"},
    {Diag::kUnusedExtern, kW, "an 'extern' is not used"},
    {Diag::kSetCycle, kE, "a set depends on itself"},
    {Diag::kMissingKeys, kE, "a set lacks keys"},
    {Diag::kMissingParameter, kE, "a set needs a parameter"},
    {Diag::kSurplusParameter, kE, "a set has no parameter"},
    {Diag::kWrongParameterSet, kE, "a parameter from the wrong set"},
    {Diag::kForallOnKey, kE, "'forall' after a key that takes none"},
    {Diag::kReverseWithoutVariable, kE, "'reverse' without a variable"},
    {Diag::kReverseWithoutSuperset, kE, "'reverse' in a set without parameter or superset"},
    {Diag::kReverseOverOtherSet, kE, "'reverse' over a set that is no superset"},
    {Diag::kReverseTypes, kE, "'reverse' over objects of another type"},
    {Diag::kDisjointFromItself, kE, "a set disjoint from itself"},
    {Diag::kNeverDisjoint, kW, "a subset cannot be disjoint"},
    {Diag::kUselessDisjoint, kW, "a promise of disjointness that nothing needs"},
    {Diag::kUselessFromSuperset, kW, "'from_superset' without a superset"},
    {Diag::kUselessAddToSet, kW, "'add_to_set' in a set that is no quotient"},
    {Diag::kTooManyValues, kE, "an enum has more than 64 values"},
    {Diag::kAliasCycle, kE, "an alias contains itself"},
    {Diag::kRepeatedSymmetry, kE, "symmetry is declared twice"},
    {Diag::kSymmetryConflict, kE, "both symmetric and antisymmetric"},
    {Diag::kSymmetryArgumentCount, kE, "a symmetric choice without two arguments"},
    {Diag::kSymmetryArgumentSets, kE, "a symmetric choice over two sets"},
    {Diag::kOwnInverse, kE, "a value paired with itself"},
    {Diag::kTwoInverses, kE, "a value has two inverses"},
    {Diag::kAliasInPair, kE, "an alias in an antisymmetric pair"},
    {Diag::kUnsortedNumbers, kE, "numbers that do not ascend"},
    {Diag::kTooManyNumbers, kE, "more than 4096 numbers"},
    {Diag::kDecisionInBounds, kE, "a decision where the numbers are known before the search"},
    {Diag::kNegativeNumber, kE, "a choice with a negative number"},
    {Diag::kNoValues, kW, "an enum has no values"},
    {Diag::kDifferentChoices, kE, "two choices cannot be compared"},
    {Diag::kEnumAgainstCode, kE, "an enum is compared with a number"},
    {Diag::kEnumOrder, kE, "an enum has no order"},
    {Diag::kRepeatedArgument, kE, "one object stands twice in a decision"},
    {Diag::kArgumentCount, kE, "wrong number of arguments"},
    {Diag::kArgumentSet, kE, "an argument from the wrong set"},
    {Diag::kIsOnNumbers, kE, "'is' on a number"},
    {Diag::kTestMissing, kE, "a choice without a test"},
    {Diag::kNothingToTest, kE, "a test of something that is no choice"},
    {Diag::kTooManyClauses, kE, "a formula is too large"},
    {Diag::kNotAConjunction, kE, "a disjunction where all conditions must hold"},
    {Diag::kWhereOnDecisions, kE, "'where' reads decisions"},
    {Diag::kLetCycle, kE, "a 'let' depends on itself"},
    {Diag::kNumbersOnEnum, kE, "an enum is tested for numbers"},
    {Diag::kMisplacedDynamic, kE, "a dynamic predicate that would depend on itself"},
    {Diag::kEnumInTerm, kE, "an enum in a term"},
    {Diag::kKnownComparison, kE, "a comparison without a decision"},
    {Diag::kTermOverZero, kE, "a term divides by 0"},
    {Diag::kFractionDivided, kE, "a fraction where there may be none"},
    {Diag::kObjectInTerm, kE, "an object that is no number"},
    {Diag::kConstantTest, kW, "a test that is always or never true"},
    {Diag::kEmptyRequirement, kW, "a requirement without a condition"},
    {Diag::kRepeatedClause, kW, "the same is required twice"},
    {Diag::kVacuousClause, kW, "a disjunction that always holds"},
    {Diag::kContradiction, kW, "conditions that never hold together"},
    {Diag::kEnumWeight, kE, "a counter adds an enum"},
    {Diag::kProductOfSum, kE, "a product of a sum"},
    {Diag::kNeedsMaximum, kE, "a counter needs a maximum that there is not"},
    {Diag::kShowsMaximum, kE, "a counter would show a hidden maximum"},
    {Diag::kTwoHiddenCounters, kE, "counters with hidden maxima are compared"},
    {Diag::kCounterCycle, kE, "a counter depends on itself"},
    {Diag::kUselessCounterTest, kE, "a test of a counter that restricts nothing"},
    {Diag::kHiddenCounterInTerm, kE, "a counter with a hidden maximum in a term"},
    {Diag::kHiddenCounterInWeight, kE, "a weight that reads a hidden maximum"},
    {Diag::kFractionWeight, kE, "a counter adds fractions"},
    {Diag::kNegativeWeight, kE, "a counter adds a negative number"},
    {Diag::kNegativeProduct, kE, "a product that starts below 0"},
    {Diag::kCounterOverAdded, kW, "a full counter of objects that a trigger adds"},
    {Diag::kEquivalenceKind, kE, "an equivalence that is not symmetric"},
    {Diag::kEquivalenceOneWay, kE, "an equivalence that holds one way"},
    {Diag::kEquivalenceSets, kE, "an equivalence of other objects"},
    {Diag::kAddsToQuotient, kE, "a trigger adds to a quotient set"},
    {Diag::kAddsTwice, kE, "a trigger lists a set twice"},
    {Diag::kAddsWithoutNewObjs, kE, "a trigger adds to a set without 'new_objs'"},
    {Diag::kUnknownHost, kE, "unknown host language"},
    {Diag::kSecondHost, kE, "a second 'host' statement"},
    {Diag::kUnknownHostKey, kE, "unknown key of 'host'"},
    {Diag::kRepeatedHostKey, kE, "a key of 'host' is given twice"},
    {Diag::kNoBackbone, kE, "'host' without a backbone"},
    {Diag::kTriggerWithoutDecision, kW, "a trigger that waits for no decision"},
    {Diag::kSecondDecide, kE, "a second 'decide' statement"},
    {Diag::kDecidesTwice, kE, "'decide' lists a choice twice"},
    {Diag::kNotDecided, kE, "'decide' lists what is not decided"},
    {Diag::kSecondObjective, kE, "a second objective"},
    {Diag::kKnownObjective, kE, "an objective without a decision"},
    {Diag::kFractionObjective, kE, "an objective that may be a fraction"},
    {Diag::kSecondLowerBound, kE, "a second lower bound"},
    {Diag::kUnknownUnit, kE, "a unit that is no unit of time"},
    {Diag::kBuildWithoutHost, kE, "a space without 'host' is not built"},
    {Diag::kBuildWithoutValues, kE, "an enum without values is not built"},
    {Diag::kNeedsBackbone, kE, "a space that cannot be loaded without C++"},
    {Diag::kNeedsData, kE, "a space that is loaded with data, not built"},
    {Diag::kNotGiven, kE, "something of a space that is not given"},
    {Diag::kUnknownCharacter, kE, "a character without a meaning"},
    {Diag::kUnexpectedWord, kE, "a word in a place that is not its own"},
    {Diag::kUnfinishedLine, kE, "a line ends too early"},
    {Diag::kTooDeep, kE, "brackets nested too deeply"},
    {Diag::kNotAWholeNumber, kE, "not a whole number"},
    {Diag::kStrayDoc, kE, "a doc comment before nothing"},
    {Diag::kNoKernel, kE, "not one kernel"},
    {Diag::kNoEnd, kE, "a kernel without an end"},
    {Diag::kNotAStatement, kE, "not a statement"},
    {Diag::kNotAnIndex, kE, "not an index"},
    {Diag::kUnknownName, kE, "an unknown name"},
    {Diag::kNameTaken, kE, "a name is used twice"},
    {Diag::kUnknownType, kE, "an unknown type"},
    {Diag::kUnknownFunction, kE, "an unknown function"},
    {Diag::kArguments, kE, "a wrong number of arguments"},
    {Diag::kSubscripts, kE, "a wrong number of subscripts"},
    {Diag::kWrongUse, kE, "a name that has no place here"},
    {Diag::kUsedBeforeStated, kE, "a value is used before it is stated"},
    {Diag::kWrittenTwice, kE, "an output is written twice"},
    {Diag::kNotWritten, kE, "an output that nothing writes"},
    {Diag::kNotRead, kE, "an input or a value that nothing reads"},
    {Diag::kMissingAxis, kE, "a reduction over an index that its operand lacks"},
    {Diag::kRepeatedIndex, kE, "an index is bound twice"},
    {Diag::kFreeIndex, kE, "an index that nothing runs over"},
    {Diag::kNotAffine, kE, "an index map that is no sum of multiples"},
    {Diag::kUnknownOutside, kE, "an unknown rule for what lies outside"},
    {Diag::kMixedTypes, kE, "types that have nothing in common"},
    {Diag::kWrongOperand, kE, "an operand of a type that does not fit"},
    {Diag::kNeedsCast, kE, "a conversion that is not written"},
    {Diag::kNotAccumulated, kE, "a type that nothing is accumulated in"},
    {Diag::kExtentsDisagree, kE, "extents that disagree"},
    {Diag::kOutOfBounds, kE, "an index out of bounds"},
    {Diag::kBadExtent, kE, "an extent that is not positive"},
    {Diag::kTooLarge, kE, "a number that is too large"},
    {Diag::kUnknownExtent, kE, "an index of unknown extent"},
    {Diag::kBadStride, kE, "strides that fit no array"},
    {Diag::kDivisionByZero, kE, "a division by zero"},
    {Diag::kBadRange, kE, "a size with an impossible range"},
    {Diag::kBadTile, kE, "a tile that is not possible"},
    {Diag::kNotCovered, kE, "an output that is not written as a whole"},
    {Diag::kNotBuilt, kE, "a computation that cannot be built"},
    {Diag::kBadAlignment, kE, "an alignment that no array has"},
    {Diag::kRequired, kE, "sizes and options that the kernel refuses"},
    {Diag::kFunWord, kE, "a word that does not fit"},
    {Diag::kFunTooDeep, kE, "a program nested too deeply"},
    {Diag::kFunTooLarge, kE, "a program that unfolds into too much"},
    {Diag::kFunNumber, kE, "a number that is too large or out of its range"},
    {Diag::kFunUnknownName, kE, "a name that a program does not know"},
    {Diag::kFunNameTaken, kE, "a name that is taken"},
    {Diag::kFunRecursion, kE, "a function that uses itself"},
    {Diag::kFunArguments, kE, "arguments that do not fit"},
    {Diag::kFunNoKernel, kE, "a program without a kernel"},
    {Diag::kFunType, kE, "types that disagree"},
    {Diag::kFunLength, kE, "lengths that cannot agree"},
    {Diag::kFunDivides, kE, "a length that is not divided"},
    {Diag::kFunWindow, kE, "a window larger than its input"},
    {Diag::kFunWritesNothing, kE, "nothing that writes memory"},
    {Diag::kFunParam, kE, "a parameter without values to choose from"},
    {Diag::kFunNever, kE, "a requirement that nothing meets"},
});

static_assert(std::ranges::is_sorted(kTable, {}, &DiagInfo::diag) &&
              std::ranges::adjacent_find(kTable, {}, &DiagInfo::diag) == kTable.end());

}  // namespace

std::span<const DiagInfo> AllDiags() {
  return kTable;
}

const DiagInfo& InfoOf(Diag diag) {
  const auto found = std::ranges::lower_bound(kTable, diag, {}, &DiagInfo::diag);
  EXH_CHECK(found != kTable.end() && found->diag == diag);
  return *found;
}

std::string CodeOf(Diag diag) {
  return fmt::format("{}{:04}", InfoOf(diag).severity == Severity::kError ? 'E' : 'W',
                     static_cast<int>(diag));
}

std::optional<Diag> DiagOfCode(std::string_view code) {
  const auto found = std::ranges::find_if(kTable, [&](const DiagInfo& info) {
    std::string own = CodeOf(info.diag);
    if (own == code) return true;
    own[0] = own[0] == 'E' ? 'e' : 'w';
    return own == code;
  });
  if (found == kTable.end()) return std::nullopt;
  return found->diag;
}

}  // namespace exh::dsl
