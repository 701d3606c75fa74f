import HoldfastObjectModel
import HoldfastRows

/// The properties of other objects that a path within `mixed` values may read: any link on it may lead to
/// an object of any class that has a property of the next step's name.
struct MixedDependencies {
    let schema: RowSchema
    /// See ``Dependency/firstMember``.
    let firstMember: Int?
    /// The number of properties that are still looked for.
    var left = dependencyCountMax

    /// The most properties of other objects that a path may read.
    static let dependencyCountMax = 1000

    /// Whether a path reads no more properties than allowed.
    static func isBounded(_ path: ValuePath, _ schema: RowSchema) -> Bool {
        guard case .mixed(let member, let within) = path.terminal else { return true }
        var reach = MixedDependencies(schema: schema, firstMember: path.firstMember)
        _ = reach.dependencies(path.lastClass, member, within.steps[...], [])
        return reach.left > 0
    }

    /// Lists the properties that `steps` may read of other objects, from a property that holds `mixed` values.
    mutating func dependencies(
        _ classIndex: Int, _ member: Int, _ steps: ArraySlice<MixedPath.Step>, _ path: [PathStep]
    ) -> [Dependency] {
        var found: [Dependency] = []
        for index in steps.indices {
            guard case .position(.key(let key)) = steps[index] else { continue }
            let name = String(decoding: key, as: UTF8.self)
            for target in schema.classes where target.definition.kind == .object && left > 0 {
                guard let next = target.member(named: name) else { continue }
                let step = PathStep(
                    kind: .mixedLinks, fromClass: classIndex, toClass: target.index, member: member)
                found += self.property(next, of: target, steps[(index + 1)...], path + [step])
            }
        }
        return found
    }

    /// Lists a property at the end of `path` and the properties that the steps behind it may read.
    private mutating func property(
        _ member: Int, of rowClass: RowClass, _ steps: ArraySlice<MixedPath.Step>,
        _ path: [PathStep]
    ) -> [Dependency] {
        let compiled = rowClass.members[member]
        guard compiled.storage.shape != .none, left > 0 else { return [] }
        left -= 1
        let own = Dependency(
            classIndex: rowClass.index, member: member, path: path, firstMember: firstMember)
        if compiled.storage.element == .mixed {
            return [own] + dependencies(rowClass.index, member, steps, path)
        }
        let isEmbedded = compiled.storage.element == .embedded
        guard isEmbedded || compiled.storage.element == .link else { return [own] }
        let isSingle = compiled.storage.shape == .single
        let rest = isSingle ? steps : steps.dropFirst()
        guard case .position(.key(let key))? = rest.first else { return [own] }
        let target = schema.classes[compiled.classIndex]
        guard let next = target.member(named: String(decoding: key, as: UTF8.self)) else {
            return [own]
        }
        let step = PathStep(along: member, of: rowClass)
        return [own] + property(next, of: target, rest.dropFirst(), path + [step])
    }
}
