import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastTestSupport

/// A random change of a schema of any kind, with its renamings.
package struct RandomEvolution {
    /// The classes after it.
    package private(set) var classes: [ObjectClass]
    private let before: [ObjectClass]
    /// The present name of each class and property that is still there.
    private var oldClass: [String: String] = [:]
    private var oldProperty: [SchemaRenames.Name: String] = [:]
    private var made: RandomSchema

    /// Makes a change; names of new things come from `schemas`.
    package init(
        _ classes: [ObjectClass], _ schemas: inout RandomSchema, _ random: inout SeededGenerator
    ) {
        self.classes = classes
        before = classes
        made = schemas
        for objectClass in classes {
            oldClass[objectClass.name] = objectClass.name
            for property in objectClass.properties {
                oldProperty[SchemaRenames.Name(objectClass.name, property.name)] = property.name
            }
        }
        for _ in 0..<Int.random(in: 1...4, using: &random) { change(&random) }
        repair()
        schemas = made
    }

    /// What was renamed.
    package var renames: SchemaRenames {
        var entries: [SchemaRenames.Entry] = []
        for objectClass in classes {
            guard let old = oldClass[objectClass.name] else { continue }
            if old != objectClass.name {
                entries.append(
                    SchemaRenames.Entry(
                        old: SchemaRenames.Name(old), new: SchemaRenames.Name(objectClass.name)))
            }
            for property in objectClass.properties {
                let name = SchemaRenames.Name(objectClass.name, property.name)
                guard let before = oldProperty[name], before != property.name else { continue }
                entries.append(
                    SchemaRenames.Entry(old: SchemaRenames.Name(old, before), new: name))
            }
        }
        return SchemaRenames(entries)
    }

    // MARK: Changes

    private mutating func change(_ random: inout SeededGenerator) {
        let index = Int.random(in: classes.indices, using: &random)
        switch Int.random(in: 0..<(made.isFull ? 14 : 12), using: &random) {
        case 0 where classes.count > 3: drop(index)
        case 12 where classes.count < 9:
            let kind = ObjectClass.Kind.allCases.randomElement(using: &random) ?? .object
            classes.append(made.makeClass(kind, &random))
            add(classes.count - 1, &random)
        case 13:
            if Bool.random(using: &random) { classes[index].uniqueGroups = [] }
            made.addUniqueGroup(&classes[index], classes, &random)
            classes[index].properties.shuffle(using: &random)
        case 1: rename(index)
        case 2, 3: add(index, &random)
        case 4: classes.shuffle(using: &random)
        default:
            let members = classes[index].properties.indices.filter {
                classes[index].properties[$0].name != classes[index].primaryKey
            }
            guard let member = members.randomElement(using: &random) else { return }
            change(index, member, &random)
        }
    }

    private mutating func drop(_ index: Int) {
        let name = classes.remove(at: index).name
        oldClass[name] = nil
        for index in classes.indices {
            classes[index].properties.removeAll { property in
                if case .linkingObjects(name, _) = property.type { return true }
                return property.type.element == .object(name)
            }
        }
    }

    private mutating func rename(_ index: Int) {
        let (old, new) = (classes[index].name, made.name("R"))
        classes[index].name = new
        oldClass[new] = oldClass.removeValue(forKey: old)
        for property in classes[index].properties {
            oldProperty[SchemaRenames.Name(new, property.name)] = oldProperty.removeValue(
                forKey: SchemaRenames.Name(old, property.name))
        }
        for index in classes.indices {
            for member in classes[index].properties.indices {
                let type = classes[index].properties[member].type
                switch type {
                case .linkingObjects(old, let property):
                    classes[index].properties[member].type = .linkingObjects(
                        className: new, property: property)
                default:
                    guard type.element == .object(old) else { continue }
                    classes[index].properties[member].type = type.with(.object(new))
                }
            }
        }
    }

    private mutating func add(_ index: Int, _ random: inout SeededGenerator) {
        let property = made.makeProperty(classes, index, &random)
        let place = Int.random(in: 0...classes[index].properties.count, using: &random)
        classes[index].properties.insert(property, at: place)
    }

    private mutating func change(_ index: Int, _ member: Int, _ random: inout SeededGenerator) {
        var property = classes[index].properties[member]
        let name = SchemaRenames.Name(classes[index].name, property.name)
        switch Int.random(in: 0..<(made.isFull ? 11 : 7), using: &random) {
        case 7: property.isUnique.toggle()
        case 8:
            guard case .object(let target)? = property.type.element,
                classes.contains(where: { $0.name == target && $0.kind == .object })
            else { return }
            made.changeRule(&property, classes[index], &random)
        case 9:
            made.addCases(&property, &random)
        case 10: property.cases = nil
        case 0:
            classes[index].properties.remove(at: member)
            oldProperty[name] = nil
            return
        case 1:
            let new = made.name("r")
            oldProperty[SchemaRenames.Name(name.className, new)] = oldProperty.removeValue(
                forKey: name)
            for other in classes.indices {
                for place in classes[other].properties.indices
                where classes[other].properties[place].type
                    == .linkingObjects(className: name.className, property: property.name)
                {
                    classes[other].properties[place].type = .linkingObjects(
                        className: name.className, property: new)
                }
            }
            classes[index].properties[member].name = new
            classes[index].uniqueGroups = classes[index].uniqueGroups.map {
                $0.map { $0 == property.name ? new : $0 }
            }
            return
        case 2:
            if case .single(.object) = property.type {
                // Kept where it leads to points.
                property.searchIndex = property.searchIndex == nil ? .geo : nil
            } else if property.scalar == .string, Bool.random(using: &random) {
                property.searchIndex = property.searchIndex == nil ? .fullText : nil
            } else {
                property.isIndexed.toggle()
            }
        case 3 where property.scalar != nil && property.scalar != .mixed:
            property.isOptional.toggle()
        case 4:
            // The order of links in a set is the store's own, which a list would take over.
            let hasLinks = property.scalar == nil || property.scalar == .mixed
            if case .set = property.type, hasLinks { return }
            property.type = property.type.inAnotherShape(&random)
        default:
            guard property.type.element != nil else { return }
            if property.scalar == nil {
                guard Int.random(in: 0..<3, using: &random) == 0 else { return }
                property.type = property.type.with(.scalar(.mixed))
                property.onDelete = .nullify
                break
            }
            guard let scalar = ScalarType.allCases.randomElement(using: &random)
            else { return }
            property.type = property.type.with(.scalar(scalar))
            property.cases = nil
        }
        property.defaultValue = nil
        if property.scalar == .mixed { property.isOptional = false }
        if case .object? = property.type.element {
            switch property.type {
            case .single, .map: property.isOptional = true
            default: property.isOptional = false
            }
        }
        classes[index].properties[member] = property
    }

    /// The kind of search index that a property of a type may have.
    private func searchIndex(of type: PropertyType) -> SearchIndexKind? {
        switch type {
        case .single(.scalar(.string)): return .fullText
        case .single(.object(let target)):
            let holdsPoints = classes.first { $0.name == target }?.pointMembers != nil
            return holdsPoints ? .geo : nil
        default: return nil
        }
    }

    /// Takes out what no longer holds: inverse links without a property, indexes and uniqueness that there
    /// can't be.
    private mutating func repair() {
        for index in classes.indices {
            for member in classes[index].properties.indices {
                var isIndexable = false
                if case .single(.scalar(let scalar)) = classes[index].properties[member].type {
                    isIndexable = scalar.canBeIndexed && classes[index].kind == .object
                }
                if !isIndexable { classes[index].properties[member].isIndexed = false }
                if classes[index].properties[member].searchIndex
                    != searchIndex(of: classes[index].properties[member].type)
                    || classes[index].kind != .object
                {
                    classes[index].properties[member].searchIndex = nil
                }
                if !classes[index].properties[member].canBeUnique(in: classes[index]) {
                    classes[index].properties[member].isUnique = false
                }
            }
            let (objectClass, all) = (classes[index], classes)
            classes[index].uniqueGroups = objectClass.uniqueGroups.filter { group in
                group.allSatisfy { name in
                    objectClass.properties.contains {
                        $0.name == name && $0.canBeInGroup(of: objectClass, all)
                    }
                }
            }
        }
        let all = classes
        for index in classes.indices {
            let name = classes[index].name
            classes[index].properties.removeAll { property in
                guard case .linkingObjects(let origin, let forward) = property.type else {
                    return false
                }
                let found = all.first { $0.name == origin }?.properties.first {
                    $0.name == forward
                }
                return found?.type.element != .object(name)
            }
        }
    }
}

extension PropertyType {
    /// The same shape of other elements.
    func with(_ element: ElementType) -> PropertyType {
        switch self {
        case .single: .single(element)
        case .list: .list(element)
        case .set: .set(element)
        case .map: .map(element)
        case .linkingObjects: self
        }
    }

    fileprivate func inAnotherShape(_ random: inout SeededGenerator) -> PropertyType {
        guard let element else { return self }
        switch Int.random(in: 0..<4, using: &random) {
        case 0: return .single(element)
        case 1: return .list(element)
        case 2: return .set(element)
        default: return .map(element)
        }
    }
}
