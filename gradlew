#!/bin/sh
# Runs the Gradle version that gradle/wrapper/gradle-wrapper.properties names, and fetches it first when it is not there.
# Needs a JDK: JAVA_HOME, or java on the PATH. JAVA_OPTS and GRADLE_OPTS are split at blanks and go to its JVM.

fail() {
    echo "$*" >&2
    exit 1
}

# The directory of this script, also when it is called through symbolic links.
app_path=$0
while [ -h "$app_path" ]; do
    link=$(readlink "$app_path") || fail "gradlew: '$app_path' is a symbolic link that cannot be read."
    case $link in
        /*) app_path=$link ;;
        *) app_path=$(dirname "$app_path")/$link ;;
    esac
done
app_home=$(cd "$(dirname "$app_path")" > /dev/null && pwd -P) || fail "gradlew: the directory of '$app_path' cannot be entered."

jar=$app_home/gradle/wrapper/gradle-wrapper.jar
[ -f "$jar" ] || fail "gradlew: '$jar' is missing. Restore it from version control."

if [ -n "$JAVA_HOME" ]; then
    java=$JAVA_HOME/bin/java
    [ -x "$java" ] || fail "gradlew: JAVA_HOME is '$JAVA_HOME', where there is no bin/java. Set it to a JDK of version 17 or later."
else
    java=java
    command -v java > /dev/null 2>&1 || fail "gradlew: no java found. Set JAVA_HOME to a JDK of version 17 or later, or put java on the PATH."
fi

# A Windows JVM started from a Unix shell wants a Windows path.
case $(uname) in
    CYGWIN* | MSYS* | MINGW*) jar=$(cygpath --mixed "$jar") ;;
esac

set -f # the options below are split into words, but '*' in them stays as it is
# shellcheck disable=SC2086
exec "$java" -Xmx64m -Xms64m $JAVA_OPTS $GRADLE_OPTS "-Dorg.gradle.appname=${0##*/}" \
    -classpath "$jar" org.gradle.wrapper.GradleWrapperMain "$@"
