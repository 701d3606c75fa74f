import Threads

/// The sort of one kind of slots, by a thread beside the writer's.
///
/// `@unchecked Sendable`: the items belong to that thread until it is done, and the slots that it reads
/// don't change meanwhile.
final class SharedSlotSort: @unchecked Sendable {
    /// Whose slots they are.
    let kind: Int
    private var items: SlotItems
    private let isDone = Monitor(false)

    /// Begins; nil when there is no thread to be had.
    init?(_ items: consuming SlotItems, kind: Int) {
        self.kind = kind
        self.items = items
        let isStarted = startThreadIfPossible { [self] in
            self.items.sort()
            isDone.signal {
                $0 = true
                return true
            }
        }
        guard isStarted else { return nil }
    }

    /// Waits until they are sorted, and hands them to `body`.
    func finish(_ body: (borrowing SlotItems) -> Void) {
        isDone.wait { $0 ? () : nil }
        body(items)
    }
}
