import HoldfastJSON
import HoldfastRows

extension JSONWriter {
    /// Writes an object of Realm Studio's JSON without its inverse links, which follow from the links.
    ///
    /// An `ignored` name is left out. `body` writes each value, of a property or, for nil, of an unknown name, which the
    /// import reports.
    func members(
        of object: JSONValue, _ rowClass: RowClass, without ignored: StaticString? = nil,
        _ body: (_ value: JSONValue, _ property: RowClass.Member?, _ name: String) -> Void
    ) {
        self.object { members in
            for member in object.members where ignored.map({ !member.isNamed($0) }) ?? true {
                let name = String(decoding: member.name, as: UTF8.self)
                let property = rowClass.names.position(of: name).map { rowClass.members[$0] }
                if let property, property.storage.shape == .none { continue }
                _ = members.member(named: name)
                body(member.value, property, name)
            }
        }
    }
}

extension RowClass.Member {
    /// Whether a value has the form of a collection that the property holds.
    func isCollection(_ value: JSONValue) -> Bool {
        switch storage.shape {
        case .list, .set: value.kind == .array
        case .map: value.kind == .object
        case .single, .none: false
        }
    }
}
