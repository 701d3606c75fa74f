import HoldfastBytes
import HoldfastObjectModel

/// The conversion of a property's values for a property that replaces it, with another type or stricter limits. Immutable; any
/// thread may use it.
package struct ValueConversion: Sendable {
    package var from: FieldStorage
    package var to: FieldStorage
    /// The new type; nil for links and embedded objects.
    package var scalar: ScalarType?
    /// Whether null, or null elements, are allowed.
    package var isOptional: Bool
    /// The allowed values of an enum; nil for any value.
    package var cases: Set<Value>?
    private var firstCase: Value?
    /// The replacement for a value of a required property that cannot be converted.
    package var fallback: DefaultValue
    /// Whether both properties hold objects of the same class.
    package var keepsObjects: Bool
    /// The number of the class to which the old property links; nil if it is not a link, or if that class is removed.
    package var linkTarget: UInt32?
    /// The numbers of removed classes, to which `mixed` values may not link.
    package var lostClasses: Set<UInt32> = []

    /// Makes a conversion.
    ///
    /// - `keepsObjects`: Whether both are links to the same class, or embedded objects of it.
    package init(from: FieldStorage, to: FieldStorage, property: Property, keepsObjects: Bool) {
        self.from = from
        self.to = to
        scalar = property.scalar
        isOptional = property.isOptional || property.scalar == .mixed
        cases = property.cases.map(Set.init)
        firstCase = property.cases?.first
        fallback = property.effectiveDefault
        self.keepsObjects = keepsObjects
    }

    /// Whether no value can be converted: only one of the properties is a map, or only one has plain values, or they hold objects
    /// of different classes.
    var isApart: Bool {
        if from.element == .link, to.element == .mixed {
            return linkTarget == nil || (from.shape == .map) != (to.shape == .map)
        }
        return (from.shape == .map) != (to.shape == .map) || from.isPlain != to.isPlain
            || !from.isPlain && !keepsObjects
    }

    /// Whether the stored bytes are copied unchanged.
    var isCopy: Bool {
        guard from == to else { return false }
        return from.element == .link
            ? keepsObjects : from.element == .mixed && lostClasses.isEmpty && isOptional
    }

    package var keepsLinks: Bool {
        switch from.element {
        case .link: !isApart
        case .mixed: to.element == .mixed
        default: false
        }
    }

    /// Returns the converted plain value, and whether data is lost.
    func convert(_ value: Value, isElement: Bool, now: Timestamp) -> (value: Value, isLoss: Bool) {
        guard let scalar else { return (.null, value != .null) }
        if value == .null {
            return isOptional ? (.null, false) : (replacement(scalar, isElement, now), true)
        }
        switch value.converted(to: scalar) {
        case .exact(let converted) where allows(converted): return (converted, false)
        case .rounded(let converted) where allows(converted): return (converted, true)
        case .exact, .rounded, .none:
            return (isOptional ? .null : replacement(scalar, isElement, now), true)
        }
    }

    private func allows(_ value: Value) -> Bool { cases?.contains(value) ?? true }

    private func replacement(_ scalar: ScalarType, _ isElement: Bool, _ now: Timestamp) -> Value {
        // Elements have no default: they get the first value of the enum, or the type's zero.
        if isElement { return firstCase ?? scalar.zero }
        switch fallback {
        case .constant(let value): return value
        case .uuid: return .uuid(.random())
        case .objectID: return .objectID(.generate())
        case .now: return .date(now)
        // Numbers of objects are keys, for which any loss is refused.
        case .next: return scalar.zero
        // An effective default is not the user.
        case .user: return isOptional ? .null : scalar.zero
        }
    }

    /// Whether values of a property are lost, in part or completely.
    func loses(_ stored: StoredField) -> Bool {
        if isApart { return stored.holdsData }
        if to.element == .mixed { return mixed(stored).isLoss }
        if !from.isPlain {
            guard from.shape != .single, from.shape != .map, !stored.isNull else { return false }
            let view = stored.elements
            if to.shape == .single { return view.count > 1 }
            return from.shape == .list && to.shape == .set && hasRepeatedLinks(view)
        }
        return convertScalars(stored, now: Timestamp(seconds: 0, nanoseconds: 0)).isLoss
    }

    private func hasRepeatedLinks(_ view: CollectionView) -> Bool {
        var seen: Set<UInt64> = []
        for index in 0..<view.count where !seen.insert(view.pointer(index).storedLink).inserted {
            return true
        }
        return false
    }

    /// Converts the plain values of a property to the new type; a single property has one value.
    func convertScalars(_ field: StoredField, now: Timestamp) -> (values: [Value], isLoss: Bool) {
        let stored = field.values
        if to.shape != .single {
            // A single null becomes an empty collection if null elements are not allowed.
            if from.shape == .single, stored == [.null], !isOptional { return ([], false) }
            var values: [Value] = []
            var isLoss = false
            for value in stored {
                let converted = convert(value, isElement: true, now: now)
                values.append(converted.value)
                isLoss = isLoss || converted.isLoss
            }
            if to.shape == .set, Set(values).count < values.count { isLoss = true }
            return (values, isLoss)
        }
        guard let first = stored.first else {
            // An empty list has nothing to lose.
            return ([convert(.null, isElement: false, now: now).value], false)
        }
        let converted = convert(first, isElement: false, now: now)
        return ([converted.value], converted.isLoss || stored.count > 1)
    }
}

extension FieldStorage {
    fileprivate var isPlain: Bool { element != .link && element != .embedded }
}

extension ValueConversion {
    /// Converts the values of a property to `mixed` values, nil for null; a single property has one value. Plain values and links
    /// keep their meaning. Links to removed classes become null.
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
