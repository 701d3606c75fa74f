import HoldfastBytes
import HoldfastObjectModel

/// Values of kind `mixed` in drafts.
///
/// Their arena bytes are the same as in the row, except that links have no object keys yet. The draft's references give the
/// targets, and the offsets of the links in the arena.
extension ObjectDraft {
    /// Sets a `mixed` value.
    ///
    /// - `start`: The number of references before the references of its links were added.
    package func set(_ member: Int, mixed value: MixedView, from start: Int) {
        if value.isNull { return setNull(member) }
        shiftReferences(from: start, by: arena.count)
        set(member, text: value.bytes)
    }

    /// Sets a list or set of `mixed` values.
    ///
    /// - `start`: The number of references before the references of its links were added.
    package func set(_ member: Int, mixed collection: ScalarCollectionBuilder, from start: Int) {
        set(member, collection: collection)
        // The values are consecutive at the end of the arena, in the order they were added.
        shiftReferences(from: start, by: arena.count - collection.byteCount)
    }

    /// Adds an entry of a map of `mixed` values. Call ``setEntries(_:from:)`` after the last one.
    ///
    /// - `start`: The number of references before the references of its links were added.
    package func addEntry(_ key: UnsafeRawBufferPointer, mixed value: MixedView, from start: Int) {
        if value.isNull { return addEntry(key, .null) }
        shiftReferences(from: start, by: arena.count)
        addEntry(key, bytes: value.bytes)
    }

    private func shiftReferences(from start: Int, by distance: Int) {
        for position in references.indices[start...] {
            references[position].mixedOffset? += distance
        }
    }

    /// Sets, for each link in a map of `mixed` values, the sorted entry that holds it.
    func placeMixedReferences(_ member: Int, entriesFrom start: Int) {
        guard references.contains(where: { $0.member == member }) else { return }
        var starts: [(start: Int, entry: Int)] = []
        for position in entries.indices[start...] {
            if case .bytes(let start, _) = entries[position].value {
                starts.append((start, position))
            }
        }
        starts.sort { $0.start < $1.start }
        for position in references.indices where references[position].member == member {
            guard let offset = references[position].mixedOffset else { continue }
            let after = partitionPoint(starts.count) { starts[$0].start <= offset }
            if after > 0 { references[position].element = starts[after - 1].entry }
        }
    }

    /// Returns the path from a property's value to a reference within it; empty if it is not in a `mixed` value. Cost:
    /// logarithmic.
    package func mixedPath(to reference: DraftReference) -> [MixedStep] {
        guard var offset = reference.mixedOffset else { return [] }
        let field = fields[reference.member]
        var steps: [MixedStep] = []
        var value: MixedView
        switch rowClass.members[reference.member].storage.shape {
        case .single:
            value = MixedView(arenaBytes(start: field.start, count: field.count))
            offset -= field.start
        case .list, .set:
            let view = CollectionView(
                arenaBytes(start: field.start, count: field.count), element: .mixed)
            offset -= field.start + field.count - view.byteCount
            guard let (index, start) = view.element(at: offset) else { return [] }
            steps.append(.index(index))
            value = MixedView(view.bytes(index))
            offset -= start
        case .map:
            guard let element = reference.element,
                case .bytes(let start, let count) = entries[element].value
            else { return [] }
            steps.append(.key(String(decoding: key(of: entries[element]), as: UTF8.self)))
            value = MixedView(arenaBytes(start: start, count: count))
            offset -= start
        case .none: return []
        }
        while let (index, start) = value.child(at: offset) {
            steps.append(
                value.kind == .map
                    ? .key(String(decoding: value.key(index), as: UTF8.self)) : .index(index))
            value = value.element(index)
            offset -= start
        }
        return steps
    }
}

extension CollectionView {
    /// Finds the element of variable width that contains an offset counted from the first element, and the element's start. Cost:
    /// logarithmic.
    func element(at offset: Int) -> (index: Int, start: Int)? {
        func end(_ index: Int) -> Int {
            Int(ends.loadUnaligned(fromByteOffset: 4 * index, as: UInt32.self))
        }
        let index = partitionPoint(count) { end($0) <= offset }
        return index < count ? (index, index == 0 ? 0 : end(index - 1)) : nil
    }
}

/// A step into a `mixed` value, or into a collection of such values.
package enum MixedStep: Hashable, Sendable {
    /// A step to an element of a list or set.
    case index(Int)
    /// A step to the value of a key in a map.
    case key(String)
}
