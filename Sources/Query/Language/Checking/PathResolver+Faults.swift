import HoldfastText

extension PathResolver {
    /// Makes the fault of a name that no property of the class has.
    func unknown(_ name: String, at offset: Int) -> QueryError {
        let className = rowClass.definition.name
        var message =
            clause.map {
                "No property '\(name)' found on object type '\(className)' specified in '\($0)' clause"
            } ?? "'\(className)' has no property '\(name)'"
        if name == "$id", rowClass.definition.kind.standsAlone {
            let key = rowClass.definition.primaryKey
            message +=
                key.map { "; its primary key is '\($0)'" }
                ?? "; it has no primary key, and lists are in the order of '$id' by default"
            return source.fault(.unknownProperty, message, at: offset, hint: key)
        }
        return source.fault(
            .unknownProperty, message, at: offset,
            hint: (steps.last?.isMany == true ? operation(name, at: offset) : nil)
                ?? NearestName.of(name, among: rowClass.knownNames))
    }
}
