@echo off
rem Runs the Gradle version that gradle\wrapper\gradle-wrapper.properties names, and fetches it first when it is not there.
rem Needs a JDK: JAVA_HOME, or java on the PATH. JAVA_OPTS and GRADLE_OPTS go to its JVM.
setlocal

set "APP_HOME=%~dp0"
set "WRAPPER_JAR=%APP_HOME%gradle\wrapper\gradle-wrapper.jar"
if not exist "%WRAPPER_JAR%" (
    echo gradlew: "%WRAPPER_JAR%" is missing. Restore it from version control. 1>&2
    exit /b 1
)

if defined JAVA_HOME goto javaHome
set "JAVA_EXE=java.exe"
where java.exe >nul 2>&1
if not errorlevel 1 goto run
echo gradlew: no java found. Set JAVA_HOME to a JDK of version 17 or later, or put java on the PATH. 1>&2
exit /b 1

:javaHome
set "JAVA_HOME=%JAVA_HOME:"=%"
set "JAVA_EXE=%JAVA_HOME%\bin\java.exe"
if exist "%JAVA_EXE%" goto run
echo gradlew: JAVA_HOME is "%JAVA_HOME%", where there is no bin\java.exe. Set it to a JDK of version 17 or later. 1>&2
exit /b 1

:run
"%JAVA_EXE%" -Xmx64m -Xms64m %JAVA_OPTS% %GRADLE_OPTS% "-Dorg.gradle.appname=%~n0" -classpath "%WRAPPER_JAR%" org.gradle.wrapper.GradleWrapperMain %*
exit /b %ERRORLEVEL%
