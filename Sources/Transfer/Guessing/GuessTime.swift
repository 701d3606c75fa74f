import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastRows

/// The time of a proposal: the budget of the view that it reads, which also gives others their turn.
struct GuessTime {
    private let budget: Budget?

    /// Takes the budget of a view. Without a view the time has no end.
    init(_ read: ReadTransaction?) { budget = read?.budget }

    /// Whether the proposal may go on. May block while others have their turn.
    var isLeft: Bool { budget?.checkLimits() ?? true }

    /// Ends a proposal that takes too long.
    ///
    /// - Throws: ``RequestFault`` `.unavailable`. The end of the view throws its own fault instead.
    func check() throws(RequestFault) {
        if !isLeft { throw .tooBusy }
    }
}
