// SPDX-License-Identifier: MIT
//
// Tracked: what stands for `float*` in CUDA C++ that runs on the CPU. It knows the array that it
// points into, and every access through it is checked and recorded (memory.h).
//
// Includes nothing: it is compiled together with every source that is run.
#pragma once

/// CUDA's vectors of two and four floats, aligned to their size as there.
struct alignas(8) float2 {
  float x, y;
};
struct alignas(16) float4 {
  float x, y, z, w;
};

namespace exh_shim {

struct Region;
class Element;

/// How an access is spelled, for rules that hold for some spellings alone.
enum class Via {
  kPlain,
  kCached,    ///< __ldcg and its like: global memory only.
  kReadOnly,  ///< __ldg: memory that no thread of the launch writes.
};

/// A pointer to floats in one of the arrays of the launch that runs on this host thread.
class Tracked {
 public:
  /// `at` points into a registered array; otherwise every access is an error.
  Tracked(const void* at);
  /// Element `index` of the array, which may lie outside of it as long as nothing is accessed.
  Tracked(Region* region, long long index) : region_(region), index_(index) {}

  Tracked operator+(long long count) const { return {region_, index_ + count}; }
  Tracked operator-(long long count) const { return {region_, index_ - count}; }
  Element operator[](long long count) const;
  Element operator*() const;

  /// `lanes` floats in one access, which must be aligned to its size. An error ends the launch:
  /// neither returns then.
  void Read(float* values, int lanes, Via via) const;
  void Write(const float* values, int lanes, Via via) const;

 private:
  Region* region_;
  long long index_;
};

/// What `p[i]` is: read where a float is wanted, written by an assignment.
class Element {
 public:
  explicit Element(const Tracked& at) : at_(at) {}
  Element(const Element&) = default;

  operator float() const {
    float value;
    at_.Read(&value, 1, Via::kPlain);
    return value;
  }
  const Element& operator=(float value) const {
    at_.Write(&value, 1, Via::kPlain);
    return *this;
  }
  const Element& operator=(const Element& other) const { return *this = float(other); }
  const Element& operator+=(float value) const { return *this = float(*this) + value; }
  const Element& operator*=(float value) const { return *this = float(*this) * value; }
  Tracked operator&() const { return at_; }

 private:
  Tracked at_;
};

inline Element Tracked::operator[](long long count) const {
  return Element(*this + count);
}
inline Element Tracked::operator*() const {
  return Element(*this);
}

/// What stands for `float4*` and `float2*`, with or without const.
template <typename Vector>
class VectorPointer {
 public:
  explicit VectorPointer(const Tracked& at) : at_(at) {}
  VectorPointer(const VectorPointer&) = default;

  Vector Read(Via via) const {
    Vector value;
    at_.Read(&value.x, kLanes, via);
    return value;
  }
  void Write(const Vector& value, Via via) const { at_.Write(&value.x, kLanes, via); }

  operator Vector() const { return Read(Via::kPlain); }
  VectorPointer operator*() const { return *this; }  ///< Read or assigned to, as an Element is.
  const VectorPointer& operator=(const Vector& value) const {
    Write(value, Via::kPlain);
    return *this;
  }
  const VectorPointer& operator=(const VectorPointer& other) const { return *this = Vector(other); }

 private:
  static constexpr int kLanes = sizeof(Vector) / sizeof(float);
  Tracked at_;
};

/// The type that stands for `To*`.
template <typename To>
struct PointerTo {
  using Type = VectorPointer<To>;
};
template <typename To>
struct PointerTo<const To> : PointerTo<To> {};
template <>
struct PointerTo<float> {
  using Type = Tracked;
};

/// reinterpret_cast<To*>(from), from a Tracked or from a pointer.
template <typename To>
typename PointerTo<To>::Type Cast(const Tracked& from) {
  return typename PointerTo<To>::Type(from);
}

// CUDA's loads and stores with cache directives, found by the type of their argument.
#define EXH_SHIM_LOAD(name, via)            \
  inline float name(const Tracked& from) {  \
    float value;                            \
    from.Read(&value, 1, via);              \
    return value;                           \
  }                                         \
  template <typename Vector>                \
  Vector name(VectorPointer<Vector> from) { \
    return from.Read(via);                  \
  }
EXH_SHIM_LOAD(__ldg, Via::kReadOnly)
EXH_SHIM_LOAD(__ldca, Via::kCached)
EXH_SHIM_LOAD(__ldcg, Via::kCached)
EXH_SHIM_LOAD(__ldcs, Via::kCached)
#undef EXH_SHIM_LOAD

#define EXH_SHIM_STORE(name)                                 \
  inline void name(const Tracked& to, float value) {         \
    to.Write(&value, 1, Via::kCached);                       \
  }                                                          \
  template <typename Vector>                                 \
  void name(VectorPointer<Vector> to, const Vector& value) { \
    to.Write(value, Via::kCached);                           \
  }
EXH_SHIM_STORE(__stcg)
EXH_SHIM_STORE(__stcs)
EXH_SHIM_STORE(__stwb)
#undef EXH_SHIM_STORE

}  // namespace exh_shim
