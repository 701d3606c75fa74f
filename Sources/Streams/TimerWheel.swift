/// Elements that are due at some time, taken out slot by slot. One thread at a time uses it.
struct TimerWheel<Element> {
    private let slotMilliseconds: UInt64
    private var slots: [UInt64: [Element]] = [:]
    /// The first slot that may have elements left.
    private var next: UInt64

    /// Makes a wheel with slots of a length.
    ///
    /// - `now`: The time of the monotonic clock, in milliseconds.
    init(slotMilliseconds: UInt64, now: UInt64) {
        self.slotMilliseconds = slotMilliseconds
        next = now / slotMilliseconds
    }

    /// Adds an element that is due at a time of the monotonic clock, in milliseconds. It comes out with the following slot.
    mutating func add(_ element: Element, at due: UInt64) {
        slots[max(next, due / slotMilliseconds + 1), default: []].append(element)
    }

    /// Takes out due elements, at most `countMax`, in any order. The rest stays due.
    ///
    /// Cost: the slots that have passed since the last call, and the taken elements.
    mutating func takeDue(_ now: UInt64, atMost countMax: Int) -> [Element] {
        let present = now / slotMilliseconds
        var due: [Element] = []
        while next <= present {
            var slot = slots.removeValue(forKey: next) ?? []
            let countLeft = countMax - due.count
            if slot.count > countLeft {
                due += slot[(slot.count - countLeft)...]
                slot.removeLast(countLeft)
                slots[next] = slot
                break
            }
            due += slot
            next += 1
        }
        return due
    }

    /// Takes out everything.
    mutating func takeAll() -> [Element] {
        defer { slots = [:] }
        return slots.values.flatMap { $0 }
    }
}
