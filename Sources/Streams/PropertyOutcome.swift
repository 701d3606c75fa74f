import HoldfastObjectStore

/// The change of a property since the last event for its followers: the part of its state to be written.
enum PropertyOutcome {
    /// The followers know everything.
    case nothing
    case deleted
    /// The property is there and new to the followers.
    case entered
    case list(ListDifference)
    case keyed(KeyedChanges)
    /// Another value, as a whole.
    case value
    /// The change cannot be reported as a difference.
    case unknown

    /// Whether there is nothing to send.
    var isEmpty: Bool { if case .nothing = self { true } else { false } }

    /// Whether it should be sent before more is added, because too large a difference cannot be reported.
    var isFull: Bool {
        switch self {
        case .list(let difference): difference.count > ObservedProperty.elementCountMax / 2
        case .keyed(let keyed): keyed.changes.count > ObservedProperty.elementCountMax / 2
        case .nothing, .deleted, .entered, .value, .unknown: false
        }
    }

    /// Adds a later outcome.
    mutating func append(_ next: PropertyOutcome) {
        switch (self, next) {
        case (_, .nothing): break
        case (.nothing, _), (_, .deleted), (_, .entered): self = next
        case (.deleted, _), (.entered, _): self = .entered
        case (.unknown, _), (_, .unknown): self = .unknown
        case (.list(let difference), .list(let next)):
            let both = difference.followed(by: next)
            self = both.isEmpty ? .nothing : .list(both)
        case (.keyed(var keyed), .keyed(let next)):
            keyed.append(next)
            self = keyed.changes.isEmpty ? .nothing : .keyed(keyed)
        default: self = .value
        }
    }
}
