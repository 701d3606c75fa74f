import HoldfastObjectStore
import HoldfastRows

// The bounds of what one body is read into. A body of 32 MiB can state ten million objects, and each takes a draft.
extension ObjectReader {
    /// The most bytes of memory that the drafts of one body may take, or of the lines that are imported together.
    package static let draftByteCountMax = 256 << 20

    /// The drafts take more memory.
    package static let tooLarge = RequestFault(
        .transactionTooLarge(byteCountMax: draftByteCountMax))

    /// Makes the draft of an object. It states nothing and is not to be used once reading was given up.
    ///
    /// - `isOperation`: Whether the draft counts as a write, unless it is of an embedded object.
    func makeDraft(_ rowClass: RowClass, isMerge: Bool, isOperation: Bool = true) -> ObjectDraft {
        takeMemory(ObjectDraft.byteCount(of: rowClass))
        if isOperation, rowClass.definition.kind != .embedded {
            operationCount += 1
            if operationCount > operationCountMax {
                giveUp(RequestFault(.tooManyOperations(limit: operationCountMax)))
            }
        }
        return drafts?.draft(rowClass, isMerge: isMerge) ?? ObjectDraft(rowClass, isMerge: isMerge)
    }

    /// Counts memory that the drafts of the body take, and gives the reading up where they take too much.
    func takeMemory(_ byteCount: Int) {
        draftByteCount += byteCount
        if draftByteCount > Self.draftByteCountMax { giveUp(Self.tooLarge) }
    }

    /// Whether a loop over values of the body may go on. Cost: a subtraction, and now and then a look at the clock.
    package func mayContinue() -> Bool {
        if budget.spend() { return true }
        // The fault is sent only if the time is over, not if the client has left, the server stops, or the body is read again later.
        giveUp(
            RequestFault(
                .unavailable, "write-too-slow",
                "The body was not read to its end within the time of a request; divide it among several, or try again.",
                retryAfterSeconds: 1))
        return false
    }

    /// Gives the reading of the body up: the loops over its values end, and ``fault()`` is this one.
    private func giveUp(_ fault: RequestFault) {
        guard refusal == nil else { return }
        refusal = fault
        self.fault(fault.code, fault.detail)
        budget.fail(.memory)
    }
}
