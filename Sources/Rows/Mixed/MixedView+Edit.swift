import HoldfastBytes

/// Changes within a `mixed` value that is a list or map. Each step of the path is a list's index as decimal digits, or `-` for
/// its end, or a map's key.
extension MixedView {
    /// Appends the value with a change at the end of a path. Cost: linear in the value.
    ///
    /// - `steps`: At least one.
    /// - `placement`: The way to add the new value; nil removes the present value.
    /// - `new`: The new value.
    /// - `buffer`: Neither value may lie in it. If a fault is thrown, it contains part of the changed value.
    package func change(
        at steps: ArraySlice<[UInt8]>, _ placement: Placement?, _ new: MixedView,
        in buffer: ByteBuffer
    ) throws(ElementFault) -> ElementOutcome {
        try change(at: steps, placement, new, MixedWriter(buffer))
    }

    private func change(
        at steps: ArraySlice<[UInt8]>, _ placement: Placement?, _ new: MixedView,
        _ writer: MixedWriter
    ) throws(ElementFault) -> ElementOutcome {
        guard let step = steps.first else { throw .notThere }
        let found = try position(of: step)
        if steps.count == 1, let placement {
            let range = try placement.range(at: found, isMap: kind == .map, count: count)
            try copy(to: writer, replacing: range, step) { () throws(ElementFault) in
                writer.copy(new)
            }
            return ElementOutcome(range, isList: kind == .list)
        }
        guard found.isThere else { throw .notThere }
        let range = found.index..<(found.index + 1)
        var outcome = ElementOutcome()
        if steps.count == 1 {
            try copy(to: writer, replacing: range, step, by: 0) {}
        } else {
            try copy(to: writer, replacing: range, step) { () throws(ElementFault) in
                outcome = try element(found.index).change(
                    at: steps.dropFirst(), placement, new, writer)
            }
        }
        return outcome
    }

    /// Returns the value at the end of a path.
    ///
    /// - Throws: ``ElementFault`` `.notThere` or `.noElements`.
    package func value(at steps: [[UInt8]]) throws(ElementFault) -> MixedView {
        var value = self
        for step in steps {
            let found = try value.position(of: step)
            guard found.isThere else { throw .notThere }
            value = value.element(found.index)
        }
        return value
    }

    /// Finds the position of a step's element or entry, or the position to insert an entry.
    fileprivate func position(of step: [UInt8]) throws(ElementFault) -> (
        index: Int, isThere: Bool
    ) {
        switch kind {
        case .list:
            if step.elementsEqual("-".utf8) { return (count, false) }
            // A list has at most 2^32 elements, and an index has no leading zeros.
            guard let first = step.first, step.count <= 10, step.count == 1 || first != 48,
                step.allSatisfy({ (48...57).contains($0) })
            else { throw .notThere }
            let index = step.reduce(0) { $0 * 10 + Int($1 - 48) }
            return (index, index < count)
        case .map:
            return step.withUnsafeBytes { find(key: $0) }
        default: throw .noElements
        }
    }

    /// Writes a list or map with some of its elements replaced.
    ///
    /// - `key`: The key of a map's new entry.
    /// - `newCount`: The number of new values: one or zero.
    /// - `body`: Writes the new value.
    fileprivate func copy(
        to writer: MixedWriter, replacing range: Range<Int>, _ key: [UInt8], by newCount: Int = 1,
        _ body: () throws(ElementFault) -> Void
    ) throws(ElementFault) {
        let isMap = kind == .map
        let table = writer.begin(kind, count: count - range.count + newCount)
        var writtenCount = 0
        func add(
            _ key: UnsafeRawBufferPointer, _ value: () throws(ElementFault) -> Void
        ) throws(ElementFault) {
            if isMap {
                writer.buffer.append(key)
                writer.close(2 * writtenCount, of: table)
            }
            try value()
            writer.close(isMap ? 2 * writtenCount + 1 : writtenCount, of: table)
            writtenCount += 1
        }
        func keep(_ indices: Range<Int>) throws(ElementFault) {
            for index in indices {
                let element = element(index)
                try add(self.key(index)) { () throws(ElementFault) in writer.copy(element) }
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

/// The outcome of a change of an element, or of one inside a `mixed` value.
package struct ElementOutcome: Sendable, Equatable {
    /// Whether an element or entry was created.
    package var isCreated = false
    /// The position of an element inserted into a list.
    package var position: Int?

    /// Makes an outcome without a new element.
    package init() {}

    /// Makes the outcome of replacing a range, which may be empty, by a value.
    package init(_ range: Range<Int>, isList: Bool) {
        isCreated = range.isEmpty
        if isCreated, isList { position = range.lowerBound }
    }
}

/// The way to add a value to a collection, or to a list or map inside a `mixed` value.
package enum Placement: Sendable {
    /// Inserts before a list's element or at its end; creates or replaces a map's entry.
    case add
    /// As `add`, but only into a list.
    case insert
    /// Replaces a list's element; creates or replaces a map's entry.
    case put
    case replace

    /// Returns the elements that the value replaces: one, or an empty range if it is inserted.
    ///
    /// - `found`: The end of the path to the value.
    /// - `count`: The number of elements.
    package func range(
        at found: (index: Int, isThere: Bool), isMap: Bool, count: Int
    ) throws(ElementFault) -> Range<Int> {
        switch self {
        case .add where !isMap, .insert where !isMap:
            guard found.index <= count else { throw .positionOutOfRange(count: count) }
            return found.index..<found.index
        case .insert: throw .needsKey
        case .add, .put, .replace:
            if found.isThere { return found.index..<(found.index + 1) }
            guard isMap, self != .replace else { throw .notThere }
            return found.index..<found.index
        }
    }
}

/// The reason why an element, or a value inside a `mixed` value, cannot be read or changed.
package enum ElementFault: Error, Sendable, Equatable {
    /// The path does not lead to a value.
    case notThere
    /// The path leads into a value that is not a list or map, or a value is to be inserted into one.
    case noElements
    /// A value is to be inserted into a map, whose entries have keys.
    case needsKey
    /// The list has too few elements for the insertion.
    case positionOutOfRange(count: Int)
}
