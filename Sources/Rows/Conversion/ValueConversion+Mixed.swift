import Bytes
import ObjectModel

extension ValueConversion {
    /// The values of a property as `mixed` ones, nil for null: one for a single property. Plain values and
    /// links stay what they are; links to classes that go become null.
    func mixed(_ stored: StoredField) -> (values: [[UInt8]?], isLoss: Bool) {
        let buffer = ByteBuffer(capacity: 64)
        let writer = MixedWriter(buffer)
        var values: [[UInt8]?] = []
        var isLoss = false
        func add(_ write: () -> Void) {
            buffer.removeAll()
            write()
            let bytes = buffer.array
            values.append(MixedKind.null.rawValue == bytes.first ? nil : bytes)
        }
        switch from.element {
        case .link:
            for key in stored.linksOrNulls {
                add {
                    key.map { writer.link(classNumber: linkTarget ?? 0, key: $0) } ?? writer.null()
                }
            }
        case .mixed:
            for view in stored.mixedValues {
                add { isLoss = writer.copy(view, withoutLinksTo: lostClasses) || isLoss }
            }
        default:
            for value in stored.values { add { writer.value(value) } }
        }
        if !isOptional, values.contains(where: { $0 == nil }) { isLoss = true }
        if to.shape == .single {
            return (values.isEmpty ? [nil] : values, isLoss || values.count > 1)
        }
        // A single null makes an empty collection.
        if from.shape == .single, values == [nil] { return ([], isLoss) }
        if to.shape == .set, from.shape != .set || from.element != .mixed {
            let collection = ScalarCollectionBuilder()
            collection.append(mixed: values)
            buffer.removeAll()
            collection.write(to: buffer, isSet: true)
            let kept = CollectionView(buffer.bytes, element: .mixed).count
            isLoss = isLoss || kept < values.count
        }
        return (values, isLoss)
    }
}

extension StoredField {
    /// The links, with nil for null.
    fileprivate var linksOrNulls: [UInt64?] {
        if isNull { return storage.shape == .single ? [nil] : [] }
        if storage.shape == .single { return links.map { $0 } }
        let view = elements
        return (0..<view.count).map { view.isNull($0) ? nil : view.pointer($0).storedLink }
    }

    /// The `mixed` values.
    fileprivate var mixedValues: [MixedView] {
        let null = MixedView(UnsafeRawBufferPointer(start: nil, count: 0))
        if isNull { return storage.shape == .single ? [null] : [] }
        if storage.shape == .single { return [MixedView(bytes)] }
        let view = elements
        return (0..<view.count).map { view.isNull($0) ? null : MixedView(view.bytes($0)) }
    }
}

extension MixedWriter {
    /// Writes a copy of a value in which links to objects of some classes are null.
    ///
    /// - `value`: Does not lie in the buffer.
    /// - Returns: Whether there were such links.
    fileprivate func copy(
        _ value: MixedView, withoutLinksTo classes: Set<UInt32>, depth: Int = 0
    ) -> Bool {
        let kind = value.kind
        guard !classes.isEmpty, depth < ModelLimits.mixedDepthMax, kind == .list || kind == .map
        else {
            if let link = value.link, classes.contains(link.classNumber) {
                null()
                return true
            }
            copy(value)
            return false
        }
        var isLoss = false
        let table = begin(kind, count: value.count)
        for index in 0..<value.count {
            if kind == .map {
                buffer.append(value.key(index))
                close(2 * index, of: table)
            }
            isLoss =
                copy(value.element(index), withoutLinksTo: classes, depth: depth + 1) || isLoss
            close(kind == .map ? 2 * index + 1 : index, of: table)
        }
        return isLoss
    }
}
