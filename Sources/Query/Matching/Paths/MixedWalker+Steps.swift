import HoldfastObjectModel
import HoldfastRows

/// Steps from one value to others.
extension MixedWalker {
    /// Returns the value of a map under a key, or of an object's property.
    func value(
        _ key: [UInt8], _ name: String, of found: Found, _ source: (any ObjectSource)?
    ) -> Found {
        switch found {
        case .mixed(let value):
            if let link = value.link {
                guard let classIndex = schema.classIndexByNumber[link.classNumber] else {
                    return .nothing
                }
                return property(name, of: classIndex, link.key, source)
            }
            guard value.kind == .map else { return .nothing }
            guard let index = key.withUnsafeBytes({ value.index(ofKey: $0) }) else { return .null }
            return .mixed(value.element(index))
        case .embedded(let rowClass, let row): return property(name, of: rowClass, row, source)
        case .collection(let values, let storage, let classIndex) where storage.shape == .map:
            guard let index = key.withUnsafeBytes({ values.index(ofKey: $0) }),
                let (part, offset) = values.element(index)
            else { return .null }
            return element(part, offset, classIndex)
        case .nothing, .null, .collection: return .nothing
        }
    }

    private func property(
        _ name: String, of classIndex: Int, _ key: UInt64, _ source: (any ObjectSource)?
    ) -> Found {
        guard let source, let row = source.row(classIndex: classIndex, key: key) else {
            return .null
        }
        return property(name, of: schema.classes[classIndex], row, source)
    }

    private func property(
        _ name: String, of rowClass: RowClass, _ row: RowView, _ source: (any ObjectSource)?
    ) -> Found {
        guard let source, let member = rowClass.member(named: name) else { return .nothing }
        let compiled = rowClass.members[member]
        switch compiled.storage.shape {
        case .none: return .nothing
        case .list, .set, .map:
            return .collection(
                rowClass.collection(member, in: row, source), compiled.storage,
                classIndex: compiled.classIndex)
        case .single: break
        }
        let field = rowClass.field(member, in: row)
        if field.isNull { return .null }
        switch compiled.storage.element {
        case .link: return link(compiled.classIndex, field.load(UInt64.self))
        case .embedded:
            return rowClass.embedded(member, in: row).map {
                .embedded(schema.classes[compiled.classIndex], $0)
            } ?? .null
        case .mixed: return .mixed(MixedView(field.text(source)))
        case let element:
            guard let width = element.fixedByteCount else {
                return stored(field.text(source), element)
            }
            return stored(UnsafeRawBufferPointer(start: field.slot, count: width), element)
        }
    }

    private func element(_ part: CollectionView, _ offset: Int, _ classIndex: Int) -> Found {
        if part.isNull(offset) { return .null }
        switch part.element {
        case .link: return link(classIndex, part.pointer(offset).storedLink)
        case .embedded:
            return RowView(part.bytes(offset)).map { .embedded(schema.classes[classIndex], $0) }
                ?? .null
        case .mixed: return .mixed(MixedView(part.bytes(offset)))
        default: return stored(part.bytes(offset), part.element)
        }
    }

    /// Returns a plain value of a property.
    private func stored(_ bytes: UnsafeRawBufferPointer, _ storage: ElementStorage) -> Found {
        let made = arena.allocate(bytes.count + 1)
        made[0] = MixedKind(stored: storage).rawValue
        UnsafeMutableRawBufferPointer(rebasing: made[1...]).copyBytes(from: bytes)
        return .mixed(MixedView(UnsafeRawBufferPointer(made)))
    }

    private func link(_ classIndex: Int, _ key: UInt64) -> Found {
        let made = arena.allocate(13)
        made[0] = MixedKind.link.rawValue
        made.storeBytes(
            of: schema.classes[classIndex].number.littleEndian, toByteOffset: 1, as: UInt32.self)
        made.storeBytes(of: key.littleEndian, toByteOffset: 5, as: UInt64.self)
        return .mixed(MixedView(UnsafeRawBufferPointer(made)))
    }

    /// Returns the element of a list at a position.
    func element(_ position: ListPosition, of found: Found) -> Found {
        switch found {
        case .mixed(let value) where value.kind == .list:
            return position.offset(in: value.count).map { .mixed(value.element($0)) } ?? .nothing
        case .collection(let values, let storage, let classIndex) where storage.shape == .list:
            return values.element(position).map { element($0.part, $0.offset, classIndex) }
                ?? .nothing
        default: return .nothing
        }
    }

    func isCollection(_ found: Found) -> Bool { isMap(found) || kind(of: found) == .list }

    func isMap(_ found: Found) -> Bool {
        if case .embedded = found { false } else { kind(of: found) == .map }
    }

    /// Hands over every element, or value of a map, until `body` returns false.
    func forEachElement(
        of found: Found, _ source: (any ObjectSource)?, _ body: (Found) -> Bool
    ) -> Bool {
        let budget = source?.budget ?? unbounded
        switch found {
        case .mixed(let value):
            for index in 0..<value.count
            where !budget.spend() || !body(.mixed(value.element(index))) { return false }
            return true
        case .collection(let values, _, let classIndex):
            return values.forEach(within: budget) { part, offset, _ in
                body(element(part, offset, classIndex))
            }
        case .nothing, .null, .embedded: return true
        }
    }

    /// Hands over every key of a map until `body` returns false.
    func forEachKey(
        of found: Found, _ source: (any ObjectSource)?, _ body: (UnsafeRawBufferPointer) -> Bool
    ) -> Bool {
        let budget = source?.budget ?? unbounded
        switch found {
        case .mixed(let value) where value.kind == .map:
            for index in 0..<value.count where !budget.spend() || !body(value.key(index)) {
                return false
            }
            return true
        case .collection(let values, let storage, _) where storage.shape == .map:
            return values.forEachPart(within: budget) { part, _ in
                guard let keys = part.keys else { return true }
                for offset in 0..<part.count where !body(keys.bytes(offset)) { return false }
                return true
            }
        default: return true
        }
    }

    /// Returns a value in the form of a `mixed` one; nil for null. Collections of properties, and embedded
    /// objects, equal nothing and keep their kind alone.
    func encoded(_ found: Found) -> UnsafeRawBufferPointer? {
        switch found {
        case .nothing, .null: return nil
        case .mixed(let value): return value.isNull ? nil : value.bytes
        case .embedded, .collection: return empty(kind(of: found))
        }
    }

    private func empty(_ kind: MixedKind) -> UnsafeRawBufferPointer {
        let made = arena.allocate(5)
        made[0] = kind.rawValue
        for offset in 1..<5 { made[offset] = 0 }
        return UnsafeRawBufferPointer(made)
    }
}
