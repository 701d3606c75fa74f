/// What is due at some time, taken out slot by slot: nobody is looked at before. One thread at a time uses it.
struct TimerWheel<Element> {
    private let slotMilliseconds: UInt64
    private var slots: [UInt64: [Element]] = [:]
    private var next: UInt64 = 0

    /// Makes a wheel with slots of a length.
    init(slotMilliseconds: UInt64) { self.slotMilliseconds = slotMilliseconds }

    /// Enters what is due at a time of the monotonic clock, in milliseconds; it comes out in the slot behind.
    mutating func add(_ element: Element, at due: UInt64) {
        slots[max(next, due / slotMilliseconds + 1), default: []].append(element)
    }

    /// Takes out what is due, but no more than a number; the rest is still due afterwards.
    ///
    /// Cost: the slots that have passed since the last call, and what is taken.
    mutating func takeDue(_ now: UInt64, atMost countMax: Int) -> [Element] {
        let present = now / slotMilliseconds
        if next == 0 { next = present }
        var due: [Element] = []
        while next <= present {
            if let rest = slots[next]?.count, rest > countMax - due.count {
                let taken = countMax - due.count
                due += slots[next]?.suffix(taken) ?? []
                slots[next]?.removeLast(taken)
                break
            }
            due += slots.removeValue(forKey: next) ?? []
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
