import HoldfastJSON

extension RequestFault.Entry {
    /// Writes the members `code` and `detail` and, where it has them, `pointer`, `parameter`, `column` and `hint`.
    package func write(to object: inout JSONObjectWriter) {
        object.member("code").string(code)
        object.member("detail").string(detail)
        if let pointer { object.member("pointer").string(pointer) }
        if let parameter { object.member("parameter").string(parameter) }
        if let column { object.member("column").int(Int64(column)) }
        if let hint { object.member("hint").string(hint) }
    }
}
