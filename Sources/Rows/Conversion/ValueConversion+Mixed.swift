import HoldfastBytes
import HoldfastObjectModel

extension ValueConversion {
    /// Converts the values of a property to `mixed` ones, nil for null: one for a single property. Plain
    /// values and links stay what they are; links to classes that go become null.
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
            for key in stored.links {
                add {
                    key.map { writer.link(classNumber: linkTarget ?? 0, key: $0) } ?? writer.null()
                }
            }
        case .mixed:
            for view in stored.mixedValues {
                add {
                    let isLossy = writer.copy(view) { lostClasses.contains($0.classNumber) }
                    isLoss = isLoss || isLossy
                }
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
