/// The values that a draft lacks for the row that was made of it.
package struct DraftGaps {
    /// Whether it keeps something where nothing is stored.
    package internal(set) var hasNothingToKeep = false
    /// The required properties of new or replaced objects that it does not state.
    package internal(set) var unstated: [UnstatedMember] = []

    /// Makes the gaps of a draft that lacks nothing.
    package init() {}

    /// Whether it lacks nothing.
    package var isEmpty: Bool { !hasNothingToKeep && unstated.isEmpty }

    /// Takes properties for ones that need not be stated: they have their defaults.
    package mutating func forgive(_ isForgiven: (UnstatedMember) -> Bool) {
        unstated.removeAll(where: isForgiven)
    }
}
