/// A collection as queries see it: `List`, `MutableSet` and `LinkingObjects`, and the values of a `Map`.
public protocol _QueryCollection: _Persistable, _Queried {}

extension List: _QueryCollection {}
extension MutableSet: _QueryCollection {}
extension LinkingObjects: _QueryCollection {}
extension Map: _QueryCollection {}
