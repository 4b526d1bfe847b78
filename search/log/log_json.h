// SPDX-License-Identifier: MIT
//
// Records <-> JSON objects. Reading takes what it knows and ignores the rest, so that older
// programs read newer logs; a field of the wrong type throws nlohmann::json::exception.
#pragma once

#include <nlohmann/json.hpp>

#include "search/log/log_records.h"

namespace exh::search {

using Json = nlohmann::ordered_json;

Json ToJson(const RunRecord& record);
Json ToJson(const ChoiceRecord& record);
Json ToJson(const EvalRecord& record);
Json ToJson(const BestRecord& record);
Json ToJson(const SelectRecord& record);
Json ToJson(const ResultRecord& record);
Json ToJson(const ViolationRecord& record);
Json ToJson(const DeadRecord& record);
Json ToJson(const ReferenceRecord& record);
Json ToJson(const RatesRecord& record);
Json ToJson(const ResumeRecord& record);
Json ToJson(const RepairRecord& record);
Json ToJson(const EndRecord& record);

void FromJson(const Json& json, RunRecord& record);
void FromJson(const Json& json, ChoiceRecord& record);
void FromJson(const Json& json, EvalRecord& record);
void FromJson(const Json& json, BestRecord& record);
void FromJson(const Json& json, SelectRecord& record);
void FromJson(const Json& json, ResultRecord& record);
void FromJson(const Json& json, ViolationRecord& record);
void FromJson(const Json& json, DeadRecord& record);
void FromJson(const Json& json, ReferenceRecord& record);
void FromJson(const Json& json, RatesRecord& record);
void FromJson(const Json& json, ResumeRecord& record);
void FromJson(const Json& json, RepairRecord& record);
void FromJson(const Json& json, EndRecord& record);

}  // namespace exh::search
