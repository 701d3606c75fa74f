import HoldfastObjectStore

/// The subject that a channel's followers are told of, with what they have not been told yet.
enum ChannelContent {
    /// The changes of objects.
    case changes(FoldedEvents)
    /// The changes of one property.
    case property(ObservedProperty, PropertyOutcome)
    /// The result as a whole.
    case result(FollowedResult)
    /// That objects have come into an outbox, which workers deliver.
    case outbox

    init(_ stream: CheckedStream) {
        if stream.result != nil {
            self = .result(FollowedResult(stream))
        } else if let property = stream.property {
            self = .property(property, .nothing)
        } else if case .outbox = stream.definition.target {
            self = .outbox
        } else {
            self = .changes(FoldedEvents())
        }
    }

    /// Whether followers know everything that was taken in.
    var isTold: Bool {
        switch self {
        case .changes(let folded): folded.isEmpty
        case .property(_, let outcome): outcome.isEmpty
        case .result, .outbox: true
        }
    }

    /// Whether no more should be taken in before it is told.
    var isFull: Bool {
        switch self {
        case .changes(let folded): folded.isFull
        case .property(_, let outcome): outcome.isFull
        case .result, .outbox: false
        }
    }

    /// Takes out what is not told.
    mutating func take() -> ChannelContent {
        let taken = self
        switch self {
        case .changes: self = .changes(FoldedEvents())
        case .property(let property, _): self = .property(property, .nothing)
        case .result, .outbox: break
        }
        return taken
    }
}
