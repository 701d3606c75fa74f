import HoldfastObjectModel
import HoldfastObjectSupport

/// Paths within `mixed` values.
extension PlainWorld {
    /// What a step within `mixed` values has come to.
    private enum Found {
        /// Some step met a value of another shape.
        case nothing
        case content(Content)
        case embedded(PlainObject)
        /// A collection that is a property, of objects of a class if of any.
        case collection(Content, of: String?, isSet: Bool = false)

        var value: Value? {
            switch self {
            case .nothing: nil
            case .content(let content), .collection(let content, _, _): content.plainValue
            case .embedded: .map([])
            }
        }
    }

    /// What steps within the `mixed` values of a property lead to.
    func readMixed(
        _ name: String, _ steps: [PlainPath.MixedStep], _ result: PlainPath.MixedResult,
        of objects: [PlainObject], crossesMany: Bool
    ) -> PlainReach {
        let manyCount = steps.count { $0.isMany }
        if objects.isEmpty, !crossesMany, manyCount == 0 {
            // What lies behind a null link is null, and null has a kind; of nothing the sum is 0.
            return .one(finish(result, .nothing))
        }
        let isMany = crossesMany || manyCount > 0
        var isGrouped = manyCount + (crossesMany ? 1 : 0) > 1 && steps.last?.isMany == true
        switch result {
        case .value, .kind: break
        case .count, .aggregate: isGrouped = false
        }
        var ways = objects.map { take(property: name, of: $0) }
        for (index, step) in steps.enumerated() {
            if isGrouped, index == steps.count - 1 {
                return .several(
                    ways.compactMap { way in
                        elements(step, way)?.map { finish(result, $0) }
                    })
            }
            ways = ways.flatMap { way in
                step.isMany ? elements(step, way) ?? [] : [take(step, way)]
            }
        }
        let values = ways.compactMap { way -> Value? in
            if case .nothing = way, isMany { return nil }
            return finish(result, way)
        }
        return isMany ? .many(values) : .one(values.first ?? finish(result, .nothing))
    }

    private func take(property name: String, of object: PlainObject) -> Found {
        guard let property = property(object.className, name),
            let content = object.content[name]
        else { return .nothing }
        if !property.type.isCollection {
            if case .embedded(let inner) = content,
                case .object(let target)? = property.type.element
            {
                return .embedded(
                    PlainObject(className: target, key: object.key, content: inner))
            }
            return .content(content)
        }
        var target: String?
        if case .object(let name)? = property.type.element { target = name }
        var isSet = false
        if case .set = property.type { isSet = true }
        return .collection(content, of: target, isSet: isSet)
    }

    private func element(_ content: Content, of target: String?) -> Found {
        if case .embedded(let inner) = content {
            return .embedded(PlainObject(className: target ?? "", key: 0, content: inner))
        }
        return .content(content)
    }

    private func take(_ step: PlainPath.MixedStep, _ found: Found) -> Found {
        switch (step, found) {
        case (.key(let key, _), .content(.value(.map(let entries)))):
            return .content(.value(entries.first { $0.key == key }?.value ?? .null))
        case (.key(let key, _), .content(.value(let link))):
            guard case .link = link else { return .nothing }
            guard let object = object(link) else { return .content(.null) }
            return take(property: key, of: object)
        case (.key(let key, _), .embedded(let object)): return take(property: key, of: object)
        case (.key(let key, _), .collection(.entries(let entries), let target, _)):
            return entries[key].map { element($0, of: target) } ?? .content(.null)
        case (.position(let position), .content(.value(.list(let values)))):
            return values.at(position).map { .content(.value($0)) } ?? .nothing
        case (.position(let position), .collection(let content, let target, let isSet)):
            // Only a list has positions.
            if case .entries = content { return .nothing }
            if isSet { return .nothing }
            return content.elements.at(position).map { element($0, of: target) } ?? .nothing
        default: return .nothing
        }
    }

    private func elements(_ step: PlainPath.MixedStep, _ found: Found) -> [Found]? {
        let isKeys = if case .keys = step { true } else { false }
        switch found {
        case .content(.value(.list(let values))) where !isKeys:
            return values.map { .content(.value($0)) }
        case .content(.value(.map(let entries))):
            return entries.map { .content(.value(isKeys ? .string($0.key) : $0.value)) }
        case .collection(.entries(let entries), _, _) where isKeys:
            return entries.inKeyOrder.map { .content(.value(.string($0.key))) }
        case .collection(let content, let target, _) where !isKeys:
            return content.elements.map { element($0, of: target) }
        default: return nil
        }
    }

    private func finish(_ result: PlainPath.MixedResult, _ found: Found) -> Value {
        switch result {
        case .value: return found.value ?? .null
        case .kind: return .int(PlainKinds.of(found.value ?? .null))
        case .count:
            switch found {
            case .content(let content), .collection(let content, _, _): return Self.count(content)
            case .nothing, .embedded: return .null
            }
        case .aggregate(let function):
            let values = elements(.all, found)?.map { $0.value ?? .null } ?? []
            return PlainAggregate.result(function, values, .mixed)
        }
    }
}
