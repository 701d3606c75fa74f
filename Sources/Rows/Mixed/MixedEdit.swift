import Bytes

/// A change somewhere inside a `mixed` value that is a list or map.
package struct MixedEdit: Sendable, Equatable {
    /// What is changed.
    package enum Action: Sendable, Equatable {
        /// Puts a value into the list that the steps lead to, before the one at the position; at its end for
        /// nil.
        case insert(at: Int?)
        /// Puts a value where the last step leads: in the place of a list's element, or under a map's key.
        case put
        /// Takes away what the last step leads to.
        case remove
    }

    /// Why the value that is there can't be changed so.
    package enum Fault: Error, Sendable, Equatable {
        /// A step leads to nothing.
        case notThere
        /// A step goes into a value that is no list and no map, or a value is inserted into one.
        case noElements
        /// A value is inserted into a map, whose entries have keys.
        case needsKey
        /// The list to insert into has too few elements.
        case positionOutOfRange(count: Int)
    }

    /// What was done.
    package struct Outcome: Sendable, Equatable {
        /// Whether an element or entry came that was not there.
        package var isCreated = false
        /// Where an inserted element stands.
        package var position: Int?
    }

    /// The way into the value: a list's position as decimal digits, or a map's key, each.
    package var steps: [[UInt8]]
    /// What is done at its end.
    package var action: Action

    /// Makes a change.
    ///
    /// - Precondition: There is a step, unless something is inserted (traps).
    package init(_ steps: [[UInt8]], _ action: Action) {
        if case .insert = action {} else { precondition(!steps.isEmpty) }
        self.steps = steps
        self.action = action
    }

    /// Appends the changed value to `buffer`. Cost: linear in the value.
    ///
    /// - `value`: As it is; does not lie in the buffer.
    /// - `new`: What is put or inserted; does not lie in the buffer.
    /// - Throws: ``Fault``; the buffer holds a part of the value then.
    package func apply(
        to value: MixedView, _ new: MixedView, in buffer: ByteBuffer
    ) throws(Fault) -> Outcome {
        var outcome = Outcome()
        try write(value, steps[...], new, MixedWriter(buffer), &outcome)
        return outcome
    }

    private func write(
        _ value: MixedView, _ steps: ArraySlice<[UInt8]>, _ new: MixedView, _ writer: MixedWriter,
        _ outcome: inout Outcome
    ) throws(Fault) {
        guard let step = steps.first else {
            return try insert(new, into: value, writer, &outcome)
        }
        let isLast = steps.count == 1
        let found = try value.position(of: step)
        if isLast, action == .put {
            if value.kind == .list, !found.isThere { throw .notThere }
            outcome.isCreated = !found.isThere
            return try value.copy(
                to: writer, replacing: found.index..<(found.index + (found.isThere ? 1 : 0)), step
            ) { () throws(Fault) in writer.copy(new) }
        }
        guard found.isThere else { throw .notThere }
        let range = found.index..<(found.index + 1)
        if isLast, action == .remove {
            return try value.copy(to: writer, replacing: range, step, by: 0) {}
        }
        try value.copy(to: writer, replacing: range, step) { () throws(Fault) in
            try write(value.element(found.index), steps.dropFirst(), new, writer, &outcome)
        }
    }

    private func insert(
        _ new: MixedView, into value: MixedView, _ writer: MixedWriter, _ outcome: inout Outcome
    ) throws(Fault) {
        guard case .insert(let place) = action, value.kind == .list else {
            throw value.kind == .map ? .needsKey : .noElements
        }
        let index = place ?? value.count
        guard index <= value.count else { throw .positionOutOfRange(count: value.count) }
        outcome = Outcome(isCreated: true, position: index)
        try value.copy(to: writer, replacing: index..<index, []) { () throws(Fault) in
            writer.copy(new)
        }
    }
}

extension MixedView {
    /// The value that steps lead to.
    ///
    /// - `steps`: As ``MixedEdit`` has them.
    /// - Throws: ``MixedEdit/Fault`` `.notThere` or `.noElements`.
    package func value(at steps: [[UInt8]]) throws(MixedEdit.Fault) -> MixedView {
        var value = self
        for step in steps {
            let found = try value.position(of: step)
            guard found.isThere else { throw .notThere }
            value = value.element(found.index)
        }
        return value
    }

    /// Where the element or entry of a step stands, or an entry would.
    fileprivate func position(of step: [UInt8]) throws(MixedEdit.Fault) -> (
        index: Int, isThere: Bool
    ) {
        switch kind {
        case .list:
            let isNumber = !step.isEmpty && step.allSatisfy { (48...57).contains($0) }
            // A list has no more than 2^32 elements.
            guard isNumber, step.count <= 10 else { throw .notThere }
            let index = step.reduce(0) { $0 * 10 + Int($1 - 48) }
            return (index, index < count)
        case .map:
            return step.withUnsafeBytes { step in
                if let index = index(ofKey: step) { return (index, true) }
                var (low, high) = (0, count)
                while low < high {
                    let middle = (low + high) / 2
                    if compareKeys(key(middle), step) < 0 {
                        low = middle + 1
                    } else {
                        high = middle
                    }
                }
                return (low, false)
            }
        default: throw .noElements
        }
    }

    /// Writes a list or map with something else in the place of some of its elements.
    ///
    /// - `key`: Of a map's new entry.
    /// - `newCount`: How many values take the place: one or none.
    /// - `body`: Writes that one.
    fileprivate func copy(
        to writer: MixedWriter, replacing range: Range<Int>, _ key: [UInt8], by newCount: Int = 1,
        _ body: () throws(MixedEdit.Fault) -> Void
    ) throws(MixedEdit.Fault) {
        let isMap = kind == .map
        let table = writer.begin(kind, count: count - range.count + newCount)
        var place = 0
        func add(
            _ key: UnsafeRawBufferPointer, _ value: () throws(MixedEdit.Fault) -> Void
        ) throws(MixedEdit.Fault) {
            if isMap {
                writer.buffer.append(key)
                writer.close(2 * place, of: table)
            }
            try value()
            writer.close(isMap ? 2 * place + 1 : place, of: table)
            place += 1
        }
        func keep(_ indices: Range<Int>) throws(MixedEdit.Fault) {
            for index in indices {
                let element = element(index)
                try add(self.key(index)) { () throws(MixedEdit.Fault) in writer.copy(element) }
            }
        }
        try keep(0..<range.lowerBound)
        if newCount > 0 {
            let bytes = ByteBuffer(capacity: max(1, key.count))
            bytes.append(key)
            try add(bytes.bytes, body)
        }
        try keep(range.upperBound..<count)
    }
}
