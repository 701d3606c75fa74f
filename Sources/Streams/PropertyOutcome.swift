import HoldfastObjectStore

/// The change of a property since its followers were told last: the part of its state to be written.
enum PropertyOutcome {
    /// They know everything.
    case nothing
    /// There is none any more.
    case deleted
    /// There is one, which is new to them.
    case entered
    case list(ListDifference)
    case keyed(KeyedChanges)
    /// Another value, as a whole.
    case value
    /// It can't be told by what is different.
    case unknown

    /// Whether there is nothing to tell.
    var isEmpty: Bool { if case .nothing = self { true } else { false } }

    /// Whether it is better told before more is added, as too much can't be told.
    var isFull: Bool {
        switch self {
        case .list(let difference): difference.count > ObservedProperty.elementCountMax / 2
        case .keyed(let keyed): keyed.changes.count > ObservedProperty.elementCountMax / 2
        case .nothing, .deleted, .entered, .value, .unknown: false
        }
    }

    /// Adds what became of it after that.
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
