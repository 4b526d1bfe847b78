// SPDX-License-Identifier: MIT
//
// Tracked<T>: what stands for `T*` in CUDA C++ that runs on the CPU, for elements and for CUDA's
// vectors. It knows the array that it points into, and every access through it is checked and
// recorded (memory.h).
//
// Includes nothing: it is compiled together with every source that is run.
#pragma once

/// CUDA's vectors, aligned to their size as there.
struct alignas(8) float2 {
  float x, y;
};
struct alignas(16) float4 {
  float x, y, z, w;
};
struct alignas(8) uint2 {
  unsigned x, y;
};
struct alignas(16) uint4 {
  unsigned x, y, z, w;
};

namespace exh_shim {

struct Region;

/// How an access is spelled, for rules that hold for some spellings alone.
enum class Via {
  kPlain,
  kCached,    ///< __ldcg and its like: global memory only.
  kReadOnly,  ///< __ldg: memory that no thread of the launch writes.
};

/// Bytes of what messages count in where an array has no elements of its own: those of a T, and of
/// each part of a vector.
template <typename T>
inline constexpr int kUnit = sizeof(T);
template <>
inline constexpr int kUnit<float2> = 4;
template <>
inline constexpr int kUnit<float4> = 4;
template <>
inline constexpr int kUnit<uint2> = 4;
template <>
inline constexpr int kUnit<uint4> = 4;

/// An address in one of the arrays of the launch that runs on this host thread.
class Address {
 public:
  /// `at` points into a registered array; otherwise every access is an error.
  explicit Address(const void* at);
  /// Byte `offset` of the array, which may lie outside of it as long as nothing is accessed.
  Address(Region* region, long long offset) : region_(region), offset_(offset) {}

  Address operator+(long long bytes) const { return {region_, offset_ + bytes}; }
  Region* region() const { return region_; }
  long long offset() const { return offset_; }
  /// Where it is in the memory that the block shares, as instructions say it; an error elsewhere.
  unsigned InShared() const;
  /// Of shared memory: the same byte of that of another block of the cluster.
  Address InBlock(int rank) const;

  /// `bytes` in one access, which must be aligned to that. An error ends the launch: neither
  /// returns then.
  void Read(void* value, int bytes, int unit, Via via) const;
  void Write(const void* value, int bytes, int unit, Via via) const;
  /// Where an atomic operation changes them, before anything else happens.
  void* Change(int bytes, int unit) const;
  /// A word that a block says to those behind it, and what one of these finds there.
  void Tell(unsigned long long word) const;
  unsigned long long Hear() const;
  /// Begins to copy as many bytes from there, or zeros, where `inside` is false: then nothing is
  /// read.
  void CopyFrom(const Address& from, int bytes, int unit, bool inside) const;

 private:
  Region* region_;
  long long offset_;
};

template <typename T>
class Element;

template <typename T>
class Tracked {
 public:
  using Value = T;

  Tracked(const void* at) : at_(at) {}
  explicit Tracked(const Address& at) : at_(at) {}

  const Address& at() const { return at_; }
  Tracked operator+(long long count) const { return Tracked(at_ + count * kSize); }
  Tracked operator-(long long count) const { return Tracked(at_ + -count * kSize); }
  Element<T> operator[](long long count) const { return Element<T>(*this + count); }
  Element<T> operator*() const { return Element<T>(*this); }

  T Read(Via via) const {
    T value;
    at_.Read(&value, sizeof(T), kUnit<T>, via);
    return value;
  }
  void Write(const T& value, Via via) const { at_.Write(&value, sizeof(T), kUnit<T>, via); }

  /// An atomic operation: what was there before. `after(before)` is there afterwards.
  template <typename After>
  T Change(const After& after) const {
    void* const place = at_.Change(sizeof(T), kUnit<T>);
    T before;
    __builtin_memcpy(&before, place, sizeof(T));
    const T changed = after(before);
    __builtin_memcpy(place, &changed, sizeof(T));
    return before;
  }

 private:
  static constexpr long long kSize = sizeof(T);
  Address at_;
};

/// What `p[i]` is: read where a T is wanted, written by an assignment.
template <typename T>
class Element {
 public:
  explicit Element(const Tracked<T>& at) : at_(at) {}
  Element(const Element&) = default;

  operator T() const { return at_.Read(Via::kPlain); }
  const Element& operator=(const T& value) const {
    at_.Write(value, Via::kPlain);
    return *this;
  }
  const Element& operator=(const Element& other) const { return *this = T(other); }
  const Element& operator+=(const T& value) const { return *this = T(*this) + value; }
  const Element& operator*=(const T& value) const { return *this = T(*this) * value; }
  Tracked<T> operator&() const { return at_; }

 private:
  Tracked<T> at_;
};

/// reinterpret_cast<To*>(from), from a pointer or from what stands for one.
template <typename To>
Tracked<To> Cast(const void* from) {
  return Tracked<To>(from);
}
template <typename To, typename From>
Tracked<To> Cast(const Tracked<From>& from) {
  return Tracked<To>(from.at());
}

// CUDA's loads and stores with cache directives, found by the type of their argument.
#define EXH_SHIM_LOAD(name, via)   \
  template <typename T>            \
  T name(const Tracked<T>& from) { \
    return from.Read(via);         \
  }
EXH_SHIM_LOAD(__ldg, Via::kReadOnly)
EXH_SHIM_LOAD(__ldca, Via::kCached)
EXH_SHIM_LOAD(__ldcg, Via::kCached)
EXH_SHIM_LOAD(__ldcv, Via::kCached)
EXH_SHIM_LOAD(__ldcs, Via::kCached)
#undef EXH_SHIM_LOAD

#define EXH_SHIM_STORE(name)                                                 \
  template <typename T>                                                      \
  void name(const Tracked<T>& to, const typename Tracked<T>::Value& value) { \
    to.Write(value, Via::kCached);                                           \
  }
EXH_SHIM_STORE(__stcg)
EXH_SHIM_STORE(__stcs)
EXH_SHIM_STORE(__stwb)
#undef EXH_SHIM_STORE

// CUDA's atomic operations, of the types for which it has them.
#define EXH_SHIM_ATOMIC(name, type, ...)                                                        \
  inline type name(const Tracked<type>& to, type value) {                                       \
    return to.Change([&]([[maybe_unused]] const type& before) -> type { return __VA_ARGS__; }); \
  }
#define EXH_SHIM_ATOMIC_ON_INTEGERS(type)                                                      \
  EXH_SHIM_ATOMIC(atomicAdd, type, before + value)                                             \
  EXH_SHIM_ATOMIC(atomicMin, type, before < value ? before : value)                            \
  EXH_SHIM_ATOMIC(atomicMax, type, before > value ? before : value)                            \
  EXH_SHIM_ATOMIC(atomicAnd, type, (before & value))                                           \
  EXH_SHIM_ATOMIC(atomicOr, type, before | value)                                              \
  EXH_SHIM_ATOMIC(atomicXor, type, before ^ value)                                             \
  EXH_SHIM_ATOMIC(atomicExch, type, value)                                                     \
  inline type atomicCAS(const Tracked<type>& to, type expected, type value) {                  \
    return to.Change([&](const type& before) { return before == expected ? value : before; }); \
  }
EXH_SHIM_ATOMIC_ON_INTEGERS(int)
EXH_SHIM_ATOMIC_ON_INTEGERS(unsigned)
EXH_SHIM_ATOMIC_ON_INTEGERS(unsigned long long)
EXH_SHIM_ATOMIC(atomicMin, long long, before < value ? before : value)
EXH_SHIM_ATOMIC(atomicMax, long long, before > value ? before : value)
EXH_SHIM_ATOMIC(atomicAdd, float, before + value)
EXH_SHIM_ATOMIC(atomicAdd, double, before + value)
EXH_SHIM_ATOMIC(atomicExch, float, value)
EXH_SHIM_ATOMIC(atomicAdd, float2, {before.x + value.x, before.y + value.y})
EXH_SHIM_ATOMIC(atomicAdd, float4,
                {before.x + value.x, before.y + value.y, before.z + value.z, before.w + value.w})
#undef EXH_SHIM_ATOMIC_ON_INTEGERS
#undef EXH_SHIM_ATOMIC

}  // namespace exh_shim
