import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastRows
import HoldfastTestSupport

/// What transactions are made of.
extension ObjectScript {
    func makeOperations() -> [Operation] {
        var maker = RandomContent(classes)
        maker.canDangle = Int.random(in: 0..<4, using: &random) == 0
        let count = [1, 1, 1, 2, 4][Int.random(in: 0..<5, using: &random)]
        let outboxes = Set(classes.filter { $0.kind == .asymmetric }.map(\.name))
        let all = reference.objects.keys.sorted()
        let known = all.filter { !outboxes.contains($0.className) }
        let waiting = all.filter { outboxes.contains($0.className) }
        var operations: [Operation] = []
        for _ in 0..<count {
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<(known.count > 40 ? 6 : 2):
                guard let identity = known.randomElement(using: &random) else { continue }
                operations.append(.delete(identity))
            case 6...8:
                operations += makeEdit(maker, known).map { [$0] } ?? []
            case 9 where !waiting.isEmpty && (waiting.count > 10 || Bool.random(using: &random)):
                guard let identity = waiting.randomElement(using: &random) else { continue }
                operations.append(.acknowledge(identity))
            default: operations += makeWrite(maker, known).map { [$0] } ?? []
            }
        }
        if Int.random(in: 0..<12, using: &random) == 0 { operations.append(.fail) }
        if Int.random(in: 0..<4, using: &random) == 0 {
            let start = Int.random(in: 0...operations.count, using: &random)
            operations = Array(operations[..<start]) + [.attempt(Array(operations[start...]))]
        }
        return operations
    }

    private func makeWrite(_ maker: RandomContent, _ known: [Identity]) -> Operation? {
        let objects = classes.filter { $0.kind.standsAlone }
        guard let objectClass = objects.randomElement(using: &random) else { return nil }
        let share = [5, 30, 70, 100][Int.random(in: 0..<4, using: &random)]
        let draft = maker.draft(objectClass, known: known, share: share, &random)
        if objectClass.kind == .asymmetric {
            return .write(objectClass.name, draft, key: nil, .create)
        }
        let modes = WriteMode.allCases
        let mode =
            Bool.random(using: &random)
            ? .merge : modes[Int.random(in: modes.indices, using: &random)]
        var key: Value?
        let own = known.filter { $0.className == objectClass.name }
        if objectClass.primaryKey == nil, Bool.random(using: &random) {
            key = own.randomElement(using: &random)?.key
        }
        return .write(objectClass.name, draft, key: key, mode)
    }

    // MARK: Elements

    private func makeEdit(_ maker: RandomContent, _ known: [Identity]) -> Operation? {
        guard let identity = known.randomElement(using: &random),
            let objectClass = maker.objectClass(identity.className),
            let content = reference.objects[identity]?.content
        else { return nil }
        let able = objectClass.properties.filter { property in
            guard property.type.element != nil else { return false }
            return property.type.isCollection || property.scalar == .mixed
        }
        guard let property = able.randomElement(using: &random),
            let stored = content[property.name]
        else { return nil }
        if property.scalar == .mixed,
            !property.type.isCollection || Int.random(in: 0..<3, using: &random) == 0
        {
            return makeEditInside(property, identity, stored, maker, known)
        }
        let count = stored.elements.count
        // One beyond the end is refused, or appended.
        let place = Int.random(in: 0...(count + (count == 0 ? 0 : 1)), using: &random)
        let element = maker.element(of: property, known: known, &random)
        let isOld = count > 0 && Int.random(in: 0..<4, using: &random) > 0
        switch property.type {
        case .list:
            switch Int.random(in: 0..<6, using: &random) {
            case 0: return .edit(.remove(at: place), property.name, of: identity, nil)
            case 1:
                let value = isOld ? stored.collectionOfOne(property, &random) : element
                guard let value, !value.isEmbedded else { return nil }
                return .edit(.removeEqual, property.name, of: identity, value)
            case 2:
                guard let element else { return nil }
                return .edit(.replace(at: place), property.name, of: identity, element)
            default:
                guard let element else { return nil }
                let at = Bool.random(using: &random) ? place : nil
                return .edit(.insert(at: at), property.name, of: identity, element)
            }
        case .set:
            if Int.random(in: 0..<3, using: &random) > 0 {
                return element.map { .edit(.add, property.name, of: identity, $0) }
            }
            let value = isOld ? stored.collectionOfOne(property, &random) : element
            return value.map { .edit(.removeEqual, property.name, of: identity, $0) }
        case .map:
            guard Int.random(in: 0..<3, using: &random) == 0 else {
                return element.map { .edit(.put, property.name, of: identity, $0) }
            }
            var key = RandomContent.keys.randomElement(using: &random) ?? ""
            if isOld, case .entries(let entries) = stored {
                key = entries.keys.sorted().randomElement(using: &random) ?? key
            }
            return .edit(.removeEntry, property.name, of: identity, .entries([key: .removed]))
        case .single, .linkingObjects: return nil
        }
    }

    private func makeEditInside(
        _ property: Property, _ identity: Identity, _ stored: Content, _ maker: RandomContent,
        _ known: [Identity]
    ) -> Operation? {
        var place: EditPath.Element?
        var inside = Value.null
        switch (property.type, stored) {
        case (.single, .value(let value)): inside = value
        case (.list, .values(let values)):
            let index = Int.random(in: 0...values.count, using: &random)
            place = .index(index)
            if index < values.count { inside = values[index] }
        case (.map, .entries(let entries)):
            let key = entries.keys.sorted().randomElement(using: &random) ?? "none"
            place = .key(Array(key.utf8))
            if case .value(let value)? = entries[key] { inside = value }
        default: return nil
        }
        var steps: [String] = []
        loop: while Int.random(in: 0..<3, using: &random) > 0 {
            switch inside {
            case .list(let values):
                let index = Int.random(in: 0...values.count, using: &random)
                steps.append("\(index)")
                inside = index < values.count ? values[index] : .null
            case .map(let entries):
                let keys = entries.map(\.key) + ["new", ""]
                let key = keys[Int.random(in: keys.indices, using: &random)]
                steps.append(key)
                inside = entries.first { $0.key == key }?.value ?? .null
            default: break loop
            }
        }
        var action = MixedEdit.Action.insert(at: nil)
        switch Int.random(in: 0..<3, using: &random) {
        case 0 where !steps.isEmpty: action = .put
        case 1 where !steps.isEmpty: action = .remove
        default:
            if Bool.random(using: &random) {
                action = .insert(at: Int.random(in: 0...3, using: &random))
            }
        }
        let edit = MixedEdit(steps: steps.map { Array($0.utf8) }, action: action)
        var draft: Content?
        if action != .remove {
            var single = property
            single.type = .single(.scalar(.mixed))
            guard case .value(let new) = maker.mixed(single, 1, known, &random) else { return nil }
            switch place {
            case nil, .end?: draft = .value(new)
            case .index?: draft = .values([new])
            case .key(let key)?:
                draft = .entries([String(decoding: key, as: UTF8.self): .value(new)])
            }
        }
        return .editInside(edit, at: place, property.name, of: identity, draft)
    }
}

extension Content {
    /// Whether it is a collection of embedded objects.
    fileprivate var isEmbedded: Bool { if case .embeddedList = self { true } else { false } }

    /// A collection of one of the elements, as a draft states it.
    fileprivate func collectionOfOne(
        _ property: Property, _ random: inout SeededGenerator
    ) -> Content? {
        guard case .value(let value)? = elements.randomElement(using: &random) else { return nil }
        if property.scalar == nil { return .nestedList([.value(value)]) }
        return .values([value])
    }
}

extension RandomContent {
    /// A collection of one element of a property's, or a map of one entry; nil when none was made.
    func element(
        of property: Property, known: [Identity], _ random: inout SeededGenerator
    ) -> Content? {
        guard let element = property.type.element,
            let key = Self.keys.randomElement(using: &random)
        else { return nil }
        var single = property
        single.type = .single(element)
        guard let made = draft(single, known, 2, &random) else { return nil }
        if property.type.isMap { return .entries([key: made]) }
        switch made {
        case .embedded(let inner): return .embeddedList([inner])
        case .nested: return .nestedList([made])
        case .value(let value):
            if property.scalar != nil { return .values([value]) }
            return value == .null ? nil : .nestedList([made])
        default: return nil
        }
    }
}
