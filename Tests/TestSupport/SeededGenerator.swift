import Glibc

/// Random numbers that a seed reproduces: splitmix64 (Steele, Lea, Flood: "Fast splittable
/// pseudorandom number generators", OOPSLA 2014).
package struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Makes a generator that yields the same numbers for the same seed.
    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Returns the seed of a randomised test: `HOLDFAST_SEED` if set, else 1, and in a run of `make
    /// soak` a new one; printed with `name`, so that a failure can be run again.
    package static func testSeed(_ name: String) -> UInt64 {
        let given = getenv("HOLDFAST_SEED").flatMap { UInt64(String(cString: $0)) }
        let seed = given ?? (isSoak ? UInt64.random(in: 0..<1_000_000_000) : 1)
        print("\(name): HOLDFAST_SEED=\(seed)")
        return seed
    }

    /// `count`, or ten times as many when `HOLDFAST_SOAK=1`.
    package static func scaled(_ count: Int) -> Int { isSoak ? 10 * count : count }

    /// Whether `HOLDFAST_SOAK=1`: whether tests are to take their time.
    package static var isSoak: Bool {
        getenv("HOLDFAST_SOAK").map { String(cString: $0) == "1" } ?? false
    }
}
