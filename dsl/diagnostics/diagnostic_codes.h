// SPDX-License-Identifier: MIT
//
// Every kind of mistake and of doubtful text that the author of a `.exh` file, of a kernel as text
// (docs/kernels.md) or of a functional program (docs/functional.md) can be told about, in one
// table. The numbers are for ever: a kind that is no longer reported leaves a gap. A kind has a
// page of its own, docs/diagnostics/<code>.md, which `exhc explain <code>` prints.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace exh::dsl {

enum class Severity : std::uint8_t { kError, kWarning };

/// The value is the number in the code: 312 is `E0312`, or `W0312` for a warning. The hundreds say
/// what the mistake is about.
enum class Diag : std::uint16_t {
  // Bytes and files.
  kInvalidToken = 101,
  kOpenCode = 102,
  kOpenComment = 103,
  kUnreadableFile = 104,
  kIncludeCycle = 105,
  kTooManyIncludes = 106,
  kParserFailed = 107,
  kNumberTooLarge = 108,
  kNotText = 109,
  kFusedCode = 121,

  // Syntax.
  kUnexpectedToken = 201,
  kUnfinishedStatement = 202,
  kMisplacedDoc = 203,
  kNoStatement = 204,
  kNestedTooDeeply = 205,
  kTermAlone = 206,
  kConditionInTerm = 207,

  // Names.
  kUnknownSet = 301,
  kUnknownChoice = 302,
  kUnknownVariable = 303,
  kUnknownValue = 304,
  kUnknownSnippetVariable = 305,
  kUnknownSetKey = 306,
  kUnknownConstant = 307,
  kRepeatedSet = 311,
  kRepeatedChoice = 312,
  kRepeatedVariable = 313,
  kRepeatedValue = 314,
  kRepeatedSetKey = 315,
  kRepeatedLabel = 316,
  kReservedVariable = 317,
  kTypeNameClash = 318,
  kUnusedSet = 321,
  kUnusedChoice = 322,
  kUnusedAlias = 323,
  kUnusedVariable = 324,
  kUnusedLet = 325,
  kUnusedExtern = 326,

  // Sets.
  kSetCycle = 401,
  kMissingKeys = 402,
  kMissingParameter = 403,
  kSurplusParameter = 404,
  kWrongParameterSet = 405,
  kForallOnKey = 406,
  kReverseWithoutVariable = 407,
  kReverseWithoutSuperset = 408,
  kReverseOverOtherSet = 409,
  kReverseTypes = 410,
  kDisjointFromItself = 411,
  kNeverDisjoint = 421,
  kUselessDisjoint = 422,
  kUselessFromSuperset = 423,
  kUselessAddToSet = 424,

  // Choices.
  kTooManyValues = 501,
  kAliasCycle = 502,
  kRepeatedSymmetry = 503,
  kSymmetryConflict = 504,
  kSymmetryArgumentCount = 505,
  kSymmetryArgumentSets = 506,
  kOwnInverse = 507,
  kTwoInverses = 508,
  kAliasInPair = 509,
  kUnsortedNumbers = 510,
  kTooManyNumbers = 511,
  kDecisionInBounds = 512,
  kNegativeNumber = 513,
  kNoValues = 521,

  // Conditions.
  kDifferentChoices = 601,
  kEnumAgainstCode = 602,
  kEnumOrder = 603,
  kRepeatedArgument = 604,
  kArgumentCount = 605,
  kArgumentSet = 606,
  kIsOnNumbers = 607,
  kTestMissing = 608,
  kNothingToTest = 609,
  kTooManyClauses = 610,
  kNotAConjunction = 611,
  kWhereOnDecisions = 612,
  kLetCycle = 613,
  kNumbersOnEnum = 614,
  kMisplacedDynamic = 615,
  kEnumInTerm = 616,
  kKnownComparison = 617,
  kTermOverZero = 618,
  kFractionDivided = 619,
  kObjectInTerm = 620,
  kConstantTest = 621,
  kEmptyRequirement = 622,
  kRepeatedClause = 623,
  kVacuousClause = 624,
  kContradiction = 625,

  // Counters.
  kEnumWeight = 701,
  kProductOfSum = 702,
  kNeedsMaximum = 703,
  kShowsMaximum = 704,
  kTwoHiddenCounters = 705,
  kCounterCycle = 706,
  kUselessCounterTest = 707,
  kHiddenCounterInTerm = 708,
  kHiddenCounterInWeight = 709,
  kFractionWeight = 710,
  kNegativeWeight = 711,
  kNegativeProduct = 712,
  kCounterOverAdded = 722,

  // Quotients, triggers, the host, the order of choices, objectives.
  kEquivalenceKind = 801,
  kEquivalenceOneWay = 802,
  kEquivalenceSets = 803,
  kAddsToQuotient = 811,
  kAddsTwice = 812,
  kAddsWithoutNewObjs = 813,
  kUnknownHost = 821,
  kSecondHost = 822,
  kUnknownHostKey = 823,
  kRepeatedHostKey = 824,
  kNoBackbone = 825,
  kTriggerWithoutDecision = 831,
  kSecondDecide = 841,
  kDecidesTwice = 842,
  kNotDecided = 843,
  kSecondObjective = 851,
  kKnownObjective = 852,
  kFractionObjective = 853,
  kSecondLowerBound = 854,
  kUnknownUnit = 855,

  // What `exhc build` and loading need beyond `exhc check`.
  kBuildWithoutHost = 901,
  kBuildWithoutValues = 902,
  kNeedsBackbone = 904,
  kNeedsData = 905,
  kNotGiven = 906,

  // Kernels as text: what is written.
  kUnknownCharacter = 1001,
  kUnexpectedWord = 1002,
  kUnfinishedLine = 1003,
  kTooDeep = 1004,
  kNotAWholeNumber = 1005,
  kStrayDoc = 1006,
  kNoKernel = 1007,
  kNoEnd = 1008,
  kNotAStatement = 1009,
  kNotAnIndex = 1010,

  // Kernels as text: names and what they stand for.
  kUnknownName = 1101,
  kNameTaken = 1102,
  kUnknownType = 1103,
  kUnknownFunction = 1104,
  kArguments = 1105,
  kSubscripts = 1106,
  kWrongUse = 1107,
  kUsedBeforeStated = 1108,
  kWrittenTwice = 1109,
  kNotWritten = 1110,
  kNotRead = 1111,
  kMissingAxis = 1112,
  kRepeatedIndex = 1113,
  kFreeIndex = 1114,
  kNotAffine = 1115,
  kUnknownOutside = 1116,
  kMixedTypes = 1117,
  kWrongOperand = 1118,
  kNeedsCast = 1119,
  kNotAccumulated = 1120,

  // Kernels as text: at given sizes.
  kExtentsDisagree = 1201,
  kOutOfBounds = 1202,
  kBadExtent = 1203,
  kTooLarge = 1204,
  kUnknownExtent = 1205,
  kBadStride = 1206,
  kDivisionByZero = 1207,
  kBadRange = 1208,
  kBadTile = 1209,
  kNotCovered = 1210,
  kNotBuilt = 1211,
  kBadAlignment = 1212,
  kRequired = 1213,

  // Functional programs (docs/functional.md): what is written.
  kFunWord = 1301,
  kFunTooDeep = 1302,
  kFunTooLarge = 1303,
  kFunNumber = 1304,

  // Functional programs: names and what they stand for.
  kFunUnknownName = 1311,
  kFunNameTaken = 1312,
  kFunRecursion = 1313,
  kFunArguments = 1314,
  kFunNoKernel = 1315,

  // Functional programs: types, memory, and values of parameters.
  kFunType = 1321,
  kFunLength = 1322,
  kFunDivides = 1323,
  kFunWindow = 1324,
  kFunWritesNothing = 1325,
  kFunParam = 1331,
  kFunNever = 1332,
};

/// What the table says of a kind.
struct DiagInfo {
  Diag diag;
  Severity severity;
  std::string_view title;  ///< As the page is headed: short, lower case, no period.
};

/// All kinds, by number.
std::span<const DiagInfo> AllDiags();

const DiagInfo& InfoOf(Diag diag);

/// "E0312", "W0621".
std::string CodeOf(Diag diag);

/// The kind that `code` names, in either case of the letter; nothing when there is none.
std::optional<Diag> DiagOfCode(std::string_view code);

}  // namespace exh::dsl
