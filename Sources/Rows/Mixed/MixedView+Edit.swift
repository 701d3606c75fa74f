import HoldfastBytes

/// Changes somewhere inside a `mixed` value that is a list or map. The way there is steps: a list's index as
/// decimal digits, or `-` for its end, or a map's key, each.
extension MixedView {
    /// Appends the value with something else where steps lead to. Cost: linear in the value.
    ///
    /// - `steps`: At least one.
    /// - `placement`: The way in which a value comes there; nil takes away the one that is there.
    /// - `new`: The value that comes there.
    /// - `buffer`: Neither value lies in it; it holds a part of the changed one when a fault is thrown.
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

    /// Returns the value that steps lead to.
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

    /// Finds the position of a step's element or entry, or the one that an entry would have.
    fileprivate func position(of step: [UInt8]) throws(ElementFault) -> (
        index: Int, isThere: Bool
    ) {
        switch kind {
        case .list:
            if step.elementsEqual("-".utf8) { return (count, false) }
            // A list has no more than 2^32 elements; an index has no leading zeros.
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

    /// Writes a list or map with something else in the place of some of its elements.
    ///
    /// - `key`: Of a map's new entry.
    /// - `newCount`: The number of values that take the place: one or none.
    /// - `body`: Writes that one.
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
    /// Whether an element or entry came that was not there.
    package var isCreated = false
    /// The position of an element that was inserted into a list.
    package var position: Int?

    /// Nothing was added.
    package init() {}

    /// Notes a value that came in the place of others, or of none.
    package init(_ range: Range<Int>, isList: Bool) {
        isCreated = range.isEmpty
        if isCreated, isList { position = range.lowerBound }
    }
}

/// The way in which a value comes into a collection, or into a list or map inside a `mixed` value.
package enum Placement: Sendable {
    /// Before a list's element or at its end; as a map's entry, in the place of one with its key.
    case add
    /// As `add`, but only into a list.
    case insert
    /// In the place of a list's element; as a map's entry, whether one has its key or not.
    case put
    /// In the place of the present value.
    case replace

    /// Returns the elements that give way to the value: one, or none where it is inserted.
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

/// Why an element, or something inside a `mixed` value, can't be read or changed.
package enum ElementFault: Error, Sendable, Equatable {
    /// The path leads to nothing.
    case notThere
    /// The path goes into a value that is no list and no map, or a value is inserted into one.
    case noElements
    /// A value is inserted into a map, whose entries have keys.
    case needsKey
    /// The list to insert into has too few elements.
    case positionOutOfRange(count: Int)
}
