import HoldfastObjectStore

/// The subject of a channel, with the changes that its followers have not received yet.
enum ChannelContent {
    case changes(FoldedEvents)
    /// The changes of one property.
    case property(ObservedProperty, PropertyOutcome)
    /// The result as a whole.
    case result(FollowedResult)
    /// Objects that have come into an outbox. Workers deliver them.
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

    /// Whether followers have received everything that was added.
    var isTold: Bool {
        switch self {
        case .changes(let folded): folded.isEmpty
        case .property(_, let outcome): outcome.isEmpty
        case .result, .outbox: true
        }
    }

    /// Whether the content has to be sent before more is added.
    var isFull: Bool {
        switch self {
        case .changes(let folded): folded.isFull
        case .property(_, let outcome): outcome.isFull
        case .result, .outbox: false
        }
    }

    /// Takes out the content that is not sent yet.
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
