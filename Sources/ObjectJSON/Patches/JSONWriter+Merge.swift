import HoldfastJSON

extension JSONWriter {
    /// Writes what a merge patch makes of a value (RFC 7396): the members of the value in their order, then new ones.
    func merge(_ patch: JSONValue, into value: JSONValue?) {
        guard patch.kind == .object else { return copy(patch) }
        let present = value?.kind == .object ? value : nil
        object { object in
            if let present {
                for member in present.members {
                    let change = patch.member(named: member.name)
                    if change?.isNull ?? false { continue }
                    _ = object.member(named: String(decoding: member.name, as: UTF8.self))
                    if let change { merge(change, into: member.value) } else { copy(member.value) }
                }
            }
            for member in patch.members
            where !member.value.isNull && present?.member(named: member.name) == nil {
                _ = object.member(named: String(decoding: member.name, as: UTF8.self))
                merge(member.value, into: nil)
            }
        }
    }
}
