import HoldfastObjectModel
import HoldfastObjectStore

/// The comparison of a program's classes with a store's classes: additions and contradictions.
struct SchemaAgreement {
    /// The store's schema with the additions of the program's classes.
    private(set) var schema: HoldfastObjectModel.Schema
    /// Whether anything is added or changed.
    private(set) var isChange = false
    /// Differences that need a migration, a sentence each.
    private(set) var differences: [String] = []

    init(_ models: [ModelClass], with stored: HoldfastObjectModel.Schema) {
        schema = stored
        let positions = Dictionary(
            stored.classes.enumerated().map { ($1.name, $0) },
            uniquingKeysWith: { first, _ in first })
        for model in models {
            let wanted = model.definition
            guard let position = positions[wanted.name] else {
                schema.classes.append(wanted)
                isChange = true
                continue
            }
            let present = stored.classes[position]
            if present != wanted { agree(wanted, with: present, at: position) }
        }
    }

    /// The raw values that an enum may have; nil if any value is allowed. Earlier ones stay, because objects may have them.
    private static func cases(_ present: [Value]?, _ wanted: [Value]?) -> [Value]? {
        guard let present, let wanted else { return nil }
        return present + wanted.filter { !present.contains($0) }
    }

    private mutating func agree(_ wanted: ObjectClass, with present: ObjectClass, at position: Int)
    {
        let name = wanted.name
        if wanted.kind != present.kind {
            differences.append(
                "Class '\(name)' has been made \(wanted.kind.rawValue) from \(present.kind.rawValue)."
            )
        }
        if wanted.primaryKey != present.primaryKey {
            switch (present.primaryKey, wanted.primaryKey) {
            case (nil, let key?):
                differences.append("Primary Key for class '\(name)' has been added: '\(key)'.")
            case (_?, nil): differences.append("Primary Key for class '\(name)' has been removed.")
            case (let old, let new):
                differences.append(
                    "Primary Key for class '\(name)' has been changed from '\(old ?? "")' to '\(new ?? "")'."
                )
            }
        }
        var properties: [HoldfastObjectModel.Property] = []
        for property in wanted.properties {
            guard let index = present.propertyIndex(named: property.name) else {
                properties.append(property)
                isChange = true
                continue
            }
            var kept = present.properties[index]
            if kept.type != property.type {
                differences.append(
                    "Property '\(name).\(property.name)' has been changed from '\(kept.type.text)' to '\(property.type.text)'."
                )
                kept = property
            } else if kept.isOptional != property.isOptional {
                differences.append(
                    "Property '\(name).\(property.name)' has been made \(property.isOptional ? "optional" : "required")."
                )
                kept.isOptional = property.isOptional
            }
            let cases = Self.cases(kept.cases, property.cases)
            if kept.isIndexed != property.isIndexed || kept.cases != cases
                || kept.mapTo != property.mapTo
            {
                kept.isIndexed = property.isIndexed
                kept.cases = cases
                kept.mapTo = property.mapTo
                isChange = true
            }
            properties.append(kept)
        }
        for property in present.properties where wanted.propertyIndex(named: property.name) == nil {
            differences.append("Property '\(name).\(property.name)' has been removed.")
        }
        if !differences.isEmpty { isChange = true }
        schema.classes[position].kind = wanted.kind
        schema.classes[position].primaryKey = wanted.primaryKey
        schema.classes[position].properties = properties
    }
}

extension HoldfastObjectModel.PropertyType {
    /// The type as messages name it.
    var text: String {
        switch self {
        case .single(let element): element.text
        case .list(let element): "array<\(element.text)>"
        case .set(let element): "set<\(element.text)>"
        case .map(let element): "dictionary<string, \(element.text)>"
        case .linkingObjects(let className, _): "linking objects<\(className)>"
        }
    }
}

extension ElementType {
    fileprivate var text: String {
        switch self {
        case .scalar(let scalar): scalar.name
        case .object(let name): "<\(name)>"
        }
    }
}
