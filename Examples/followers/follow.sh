#!/bin/sh
# Keeps the result of a query in a JSON file, by long polls.
#
#   follow.sh URL FILE
#
# URL is that of the changes of a class, with the query: http://…/v1/classes/City/changes?filter=…
# FILE has the objects by their keys and the cursor behind them, and is replaced as a whole after each page, so that a
# follower that was ended goes on where it was. The state is whole when "upToDate" is true. Needs curl and jq.
set -eu
url=$1 file=$2

forget() {
    echo '{"since": "start", "upToDate": false, "objects": {}}' >"$file.new"
    mv "$file.new" "$file"
}

[ -e "$file" ] || forget
while :; do
    status=$(curl -s -G "$url" -H 'Prefer: wait=25' --data-urlencode "since=$(jq -r .since "$file")" \
        --max-time 60 -o "$file.page" -w '%{http_code}') || status=0
    case $status in
        200)
            jq --slurpfile pages "$file.page" '$pages[0] as $page
                | reduce ($page.objects // $page.changes)[] as $entry (.;
                    ($entry.id | tostring) as $key
                    | if $entry.op == "leave" or $entry.op == "delete" then del(.objects[$key])
                      else .objects[$key] = $entry.object end)
                | .since = ($page.next // $page.cursor)
                | .upToDate = ($page.upToDate // false)' "$file" >"$file.new"
            mv "$file.new" "$file"
            ;;
        410) forget ;; # The cursor is void: begin again.
        4*)
            cat "$file.page" >&2
            exit 1
            ;;
        *) sleep 1 ;; # The service is away.
    esac
done
